import { readFile } from 'node:fs/promises';

/**
 * The compilers that left their name in an ELF file's `.comment` section, as "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0".
 * Empty where the section was stripped or the file is no 64-bit little-endian ELF file. Format: elf(5).
 */
export async function compilersOf(path: string): Promise<readonly string[]> {
  const file = await readFile(path);
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return [];
  const tableOffset = Number(file.readBigUInt64LE(0x28));
  const entrySize = file.readUInt16LE(0x3a);
  const count = file.readUInt16LE(0x3c);
  const namesIndex = file.readUInt16LE(0x3e);
  const section = (index: number) => {
    const at = tableOffset + index * entrySize;
    return {
      name: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 24)),
      size: Number(file.readBigUInt64LE(at + 32)),
    };
  };
  try {
    const names = section(namesIndex);
    for (let index = 0; index < count; index++) {
      const { name, offset, size } = section(index);
      const start = names.offset + name;
      if (file.toString('latin1', start, file.indexOf(0, start)) !== '.comment') continue;
      const texts = file
        .toString('latin1', offset, offset + size)
        .split('\0')
        .filter(Boolean);
      return [...new Set(texts)].sort();
    }
  } catch (error) {
    // A truncated or odd section table: nothing can be told, which is what the empty list says.
    if (!(error instanceof RangeError)) throw error;
  }
  return [];
}
