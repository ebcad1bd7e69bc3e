import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Write a file whole or not at all: a reader never sees half a report, and a failed render leaves the old one. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<number> {
  await mkdir(path.dirname(file), { recursive: true });
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const temporary = `${file}.part`;
  await writeFile(temporary, bytes);
  await rename(temporary, file);
  return bytes.length;
}
