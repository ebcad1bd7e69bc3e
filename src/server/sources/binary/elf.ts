import { open, readFile } from 'node:fs/promises';

/** The first four bytes. */
const ELF = 0x7f454c46;

/**
 * The compilers that left their name in an ELF file's `.comment` section, as "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0".
 * Empty where the section was stripped or the file is no 64-bit little-endian ELF file. Format: elf(5).
 */
export async function compilersOf(path: string): Promise<readonly string[]> {
  const file = await readFile(path);
  if (file.length < 64 || file.readUInt32BE(0) !== ELF || file[4] !== 2 || file[5] !== 1) return [];
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
    // A truncated or odd section table: nothing is known, and the list is empty.
    if (!(error instanceof RangeError)) throw error;
  }
  return [];
}

/** Type of the program header that names a dynamic loader. */
const PT_INTERP = 3;

/** Whether a file is a program that a dynamic loader starts. Libraries and static programs are not; the C library itself is. */
export async function needsLoader(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    if (bytesRead < 64 || buffer.readUInt32BE(0) !== ELF || buffer[4] !== 2 || buffer[5] !== 1) return false;
    const [offset, size, count] = [
      Number(buffer.readBigUInt64LE(0x20)),
      buffer.readUInt16LE(0x36),
      buffer.readUInt16LE(0x38),
    ];
    return Array.from({ length: count }, (_, index) => offset + index * size)
      .filter((at) => at + 4 <= bytesRead)
      .some((at) => buffer.readUInt32LE(at) === PT_INTERP);
  } finally {
    await file.close();
  }
}
