/** What servers print about options, values and plugins that they refuse, whenever they are started with them. */
const REFUSALS = new RegExp(
  [
    'unknown (variable|option)',
    'ambiguous option',
    'Error while setting value',
    'Unknown suffix',
    'requires an argument',
    'cannot take an argument',
    'Unknown/unsupported storage engine',
    'Unknown (character set|collation|locale)',
    'is not a (valid|compiled)',
    '(invalid|wrong|illegal) value',
    "Can't open shared library",
    "Can't find symbol",
  ].join('|'),
  'i',
);

/** Whether a line of a server's error log says that it refuses what it was started with, so that every further start fails too. */
export function isRefusal(line: string): boolean {
  return REFUSALS.test(line);
}
