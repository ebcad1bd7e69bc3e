import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { FAMILIES, sansFiles } from './fonts.ts';
import { ROLES } from './theme.ts';

/** A figure as PNG on paper white, at twice its size for sharp screens; rasterised in WebAssembly, the same on any machine. */
export async function svgToPng(svg: string): Promise<Uint8Array> {
  await ready();
  // The bold file calls itself a family of its own.
  const renamed = svg.replaceAll(' font-weight="600"', ` font-family="${FAMILY} SemiBold"`);
  const fonts = sansFiles(svg).map(woffToSfnt);
  const resvg = new Resvg(renamed, {
    background: ROLES.paper,
    fitTo: { mode: 'zoom', value: 2 },
    font: { fontBuffers: fonts, defaultFontFamily: FAMILY, sansSerifFamily: FAMILY, loadSystemFonts: false } as never,
  });
  const image = resvg.render();
  try {
    return image.asPng();
  } finally {
    image.free();
    resvg.free();
  }
}

const FAMILY = FAMILIES.sans.name;
let started: Promise<void> | undefined;

function ready(): Promise<void> {
  started ??= readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')).then((bytes) =>
    initWasm(bytes),
  );
  return started;
}

/** Unpack a WOFF 1.0 file (W3C, 2012): a table directory whose tables are zlib streams. */
export function woffToSfnt(woff: Buffer): Uint8Array {
  const count = woff.readUInt16BE(12);
  const header = Buffer.alloc(12 + count * 16);
  header.writeUInt32BE(woff.readUInt32BE(4), 0);
  header.writeUInt16BE(count, 4);
  const power = Math.floor(Math.log2(count));
  header.writeUInt16BE(2 ** power * 16, 6);
  header.writeUInt16BE(power, 8);
  header.writeUInt16BE(count * 16 - 2 ** power * 16, 10);
  const tables: Buffer[] = [];
  let offset = header.length;
  for (let index = 0; index < count; index++) {
    const at = 44 + index * 20;
    const packed = woff.subarray(woff.readUInt32BE(at + 4), woff.readUInt32BE(at + 4) + woff.readUInt32BE(at + 8));
    const length = woff.readUInt32BE(at + 12);
    const table = packed.length === length ? packed : inflateSync(packed);
    const entry = 12 + index * 16;
    woff.copy(header, entry, at, at + 4);
    header.writeUInt32BE(woff.readUInt32BE(at + 16), entry + 4);
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(length, entry + 12);
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    table.copy(padded);
    tables.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([header, ...tables]);
}
