import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as fontkit from 'fontkit';
import { expect, test } from 'vitest';
import { textWidthPx } from '../../src/render/figures/fonts.ts';

const file = createRequire(import.meta.url).resolve(
  '@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2',
);
const mono = fontkit.create(readFileSync(file)) as fontkit.Font;
const latin = Array.from({ length: 0xe0 }, (_, index) => String.fromCodePoint(0x20 + index));

test('code is as wide as the shipped font sets it', () => {
  const texts = [...latin, '!== -> <!-- ::', 'innodb_buffer_pool_size = 128M'];
  const wrong = texts.filter(
    (text) => Math.abs(textWidthPx(text, 1000, 400, 'mono') - mono.layout(text).advanceWidth) > 1e-6,
  );
  expect(wrong).toEqual([]);
});
