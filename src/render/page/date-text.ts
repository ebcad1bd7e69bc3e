const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** "30 November 2026, 12:42 UTC", the same in every locale and time zone. */
export function dateText(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const time = date.toISOString().slice(11, 16);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${time} UTC`;
}
