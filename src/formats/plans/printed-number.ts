/** A number with the step of its last digit: it is known to half a step on either side. */
export interface PrintedNumber {
  readonly value: number;
  readonly step: number;
}

/**
 * A number as MySQL prints it in a tree of EXPLAIN ANALYZE: three significant digits ("0.0123", "12.3", "9.99e+6"), trailing zeros
 * left out ("12" for 12.0), all digits before the point below a million ("1514").
 */
export function shortNumber(text: string): PrintedNumber {
  const [mantissa = '', exponent = '0'] = text.split(/e/i);
  const value = Number(text);
  const scale = 10 ** Number(exponent);
  const size = Math.abs(Number(mantissa));
  if (size === 0) return { value, step: 0 };
  const decimals = mantissa.includes('.') ? mantissa.length - mantissa.indexOf('.') - 1 : 0;
  const third = Math.floor(Math.log10(size)) - 2;
  return { value, step: 10 ** Math.min(-decimals, third, 0) * scale };
}

/** A number with all its decimals printed, as MySQL before 8.0.31 does: "0.062", "20". */
export function fixedNumber(text: string): PrintedNumber {
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0;
  return { value: Number(text), step: 10 ** -decimals };
}
