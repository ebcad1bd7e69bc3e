import type { AxisExtent, FigureContext, Json } from './figure-data.ts';

/** Domains that end where a reader can read them, and ticks at numbers that a reader knows, on an axis of numbers. */
export function settleScale(channel: string, definition: Json, context: FigureContext): void {
  if (definition.type !== 'quantitative') return;
  const scale = (definition.scale ?? {}) as Json;
  const isAxis = /^[xy]$/.test(channel);
  const whole = isAxis && !definition.aggregate ? context.extents.get(channel) : undefined;
  if (definition.bin && isAxis) settleTicks(definition, { labelExpr: PLAIN_LABEL });
  if (definition.bin && whole && isOneNumber(whole)) binFromZero(definition, whole);
  const extent = definition.bin ? undefined : whole;
  const divisor = context.axisPrefixes.get(channel)?.divisor ?? 1;
  const axis = (definition.axis ?? {}) as Json;
  if (Array.isArray(axis.values)) {
    const values = axis.values.map((value) => Number((Number(value) / divisor).toPrecision(9)));
    settleTicks(definition, { values, labelExpr: PLAIN_LABEL });
  }
  if (scale.type === 'log' || scale.type === 'symlog') {
    // A rounded log domain is mostly empty paper; a few px of padding keep marks off the frame instead.
    const constant = scale.type === 'symlog' && extent ? { constant: finite(extent.leastPositive) } : {};
    definition.scale = { nice: false, padding: 12, ...constant, ...scale };
    if (scale.type === 'symlog' || scale.base === 10) settleTicks(definition, decadeTicks(extent, scale));
    else settleTicks(definition, { tickCount: 6 });
  } else if (isAxis && !definition.bin) {
    // Rounded to the ticks that stand on the axis, so that the topmost mark lies between two of them.
    definition.scale = { nice: 6, ...scale, ...(extent ? whereAllAreEqual(extent, scale) : {}) };
    if (extent?.isWhole && !axis.values) settleTicks(definition, { tickMinStep: 1 });
    if (extent?.min === 0 && extent.max === 0) settleTicks(definition, { values: [0], format: 'd' });
  }
  if (channel === 'color') definition.scale = { interpolate: 'lab', ...scale };
}

/** What the spec says of its axis comes last, but for ticks in base units. */
function settleTicks(definition: Json, ticks: Json): void {
  if (definition.axis === null) return;
  const own = (definition.axis ?? {}) as Json;
  definition.axis = { ...ticks, ...own, ...(ticks.values && own.values ? { values: ticks.values } : {}) };
}

/** An axis that begins and ends at one number has no scale at all, and ticks such as "5.000000": it starts at zero then. */
function whereAllAreEqual(extent: AxisExtent, scale: Json): Json {
  if (scale.domain !== undefined || !isOneNumber(extent)) return {};
  return extent.max === 0 && extent.min === 0 ? { domain: [0, 1] } : { zero: true, padding: 0 };
}

function isOneNumber({ min, max }: AxisExtent): boolean {
  return max - min <= 1e-4 * Math.max(Math.abs(min), Math.abs(max));
}

/** Bins between a number and itself have no width. */
function binFromZero(definition: Json, { min, max }: AxisExtent): void {
  const bin = definition.bin === true ? {} : (definition.bin as Json);
  const extent = min === 0 && max === 0 ? [0, 1] : [Math.min(0, min), Math.max(0, max) * 1.1];
  definition.bin = { ...bin, extent };
}

/** Powers of ten, at most eight of them; and zero, where there is room for it. */
function decadeTicks(extent: AxisExtent | undefined, scale: Json): Json {
  if (!extent || !Number.isFinite(extent.leastPositive)) return { tickCount: 6 };
  // Beside a zero, a power below the smallest value would stand on it.
  const floor = scale.type === 'symlog' ? Math.ceil : Math.floor;
  const first = floor(Math.log10(extent.leastPositive) + 1e-9);
  const last = Math.ceil(Math.log10(extent.max) - 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 7));
  const powers = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  const values = powers.map((power) => Number(`1e${power}`));
  return { values: scale.type === 'symlog' ? [0, ...values] : values, labelExpr: PLAIN_LABEL };
}

/** Numbers as people write them; powers of ten only where the zeros are too many to count. */
const PLAIN_LABEL =
  "datum.value !== 0 && (abs(datum.value) < 1e-6 || abs(datum.value) >= 1e10) ? format(datum.value, '~e') : format(datum.value, ',~r')";

function finite(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 1;
}
