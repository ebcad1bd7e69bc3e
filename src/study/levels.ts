import type { Primitive } from './types.ts';

/** Plain values, or `{ label: value }`. */
export type Levels = readonly [Primitive, ...Primitive[]] | Readonly<Record<string, unknown>>;
export type Factors = Readonly<Record<string, Levels | Within<Levels>>>;
export type PlainFactors = Readonly<Record<string, Levels>>;

/** Levels tried in random order inside one trial, on the same running server. */
export interface Within<L extends Levels> {
  readonly within: L;
}

/** A level that brings factors of its own: elsewhere they don't exist. */
export interface Nested<V, N extends PlainFactors> {
  readonly nested: V;
  readonly factors: N;
}

type Raw<X> = X extends Within<infer L> ? L : X;
type Bare<V> = V extends Nested<infer W, PlainFactors> ? W : V;
export type Label<X> = Raw<X> extends readonly (infer P)[] ? P : keyof Raw<X> & string;
type Value<X> = Raw<X> extends readonly (infer P)[] ? P : Bare<Raw<X>[keyof Raw<X>]>;
type BroughtBy<X> =
  X extends Readonly<Record<string, infer V>> ? (V extends Nested<unknown, infer N> ? N : never) : never;
type All<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never;
/** Factors that some level brings along. */
type Brought<F> = All<BroughtBy<F[keyof F]>>;
export type Between<F> = { readonly [K in keyof F as F[K] extends Within<Levels> ? never : K]: F[K] };

/** One label for each factor: `only`, `baseline`, `exclude` and the report use labels. */
export type CellOf<F> = { readonly [K in keyof F]: Label<F[K]> } & {
  readonly [K in keyof Brought<F>]?: Label<Brought<F>[K]>;
};
/** One value for each factor: `setup` and `measurements` use values. */
export type ValuesOf<F> = { readonly [K in keyof F]: Value<F[K]> } & {
  readonly [K in keyof Brought<F>]?: Value<Brought<F>[K]>;
};

/**
 * Makes a within factor: its levels are measured in random order within one trial, on the same running server.
 *
 * @param levels plain values, or values by label
 * @example factors: { pool: ['128M', '1G'], threads: within([1, 4, 16]) }
 */
export function within<const L extends Levels>(levels: L): Within<L> {
  return { within: levels };
}

/**
 * Makes a level that has factors of its own. At the other levels these factors do not exist, and `setup` sees undefined for them.
 *
 * @param value what `setup` and `measurements` see for the level
 * @param factors plain factors; none of them is within or nested
 * @example factors: { server: { '10.5': nested(servers.debian('bullseye'), { chunk: ['1M', '128M'] }), '11.8': servers.debian('trixie') } }
 */
export function nested<V, const N extends PlainFactors>(value: V, factors: N): Nested<V, N> {
  return { nested: value, factors };
}
