const SUFFIXES = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** Names of the powers of 1024, from bytes on. */
export const BINARY_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** What a suffix of a server's option multiplies by: K is 1024, M 1024², and so on to E, in either case; '' is 1. */
export function suffixFactor(suffix = ''): number {
  return 1024 ** SUFFIXES.indexOf(suffix.toUpperCase());
}

/** The power of 1024 that a number of bytes reaches, at most `most`. */
export function powerOf1024(bytes: number, most = BINARY_UNITS.length - 1): number {
  return bytes < 1024 ? 0 : Math.min(most, Math.floor(Math.log2(bytes) / 10));
}

/**
 * Bytes of an amount of memory as servers write it: `16G`, `512M`, `4096`, `1.5 GiB`. Powers of 1024; null for anything else
 * and for less than one byte.
 */
export function parseMemory(amount: string | number): number | null {
  const found = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(String(amount).trim());
  const bytes = found ? Math.round(Number(found[1]) * suffixFactor(found[2])) : 0;
  return bytes > 0 ? bytes : null;
}

/**
 * Bytes of a size of a file: 10MB is 10,000,000; 10MiB and 10M are 10,485,760. Null for anything else and for less than one byte.
 */
export function parseFileSize(text: string): number | null {
  const [, number, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
  const match = /^([KMG]?)(I?B|)$/i.exec(unit);
  if (number === undefined || match === null) return null;
  const [, letter = '', tail = ''] = match;
  if (letter === '' && tail.length > 1) return null;
  const isDecimal = tail.toUpperCase() === 'B';
  const factor = isDecimal ? 1000 ** SUFFIXES.indexOf(letter.toUpperCase()) : suffixFactor(letter);
  const bytes = Math.floor(Number(number) * factor);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Bytes for people, exact where they are round: "16 GiB", "427.4 MiB", "12 bytes". */
export function amountText(bytes: number): string {
  const power = powerOf1024(bytes, 4);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${power === 0 ? 'bytes' : BINARY_UNITS[power]}`;
}

/** Bytes in mebibytes, rounded up: "12 MiB". */
export function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}
