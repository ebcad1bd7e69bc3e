/** Labels of levels by the name of their factor. */
type Labels = Readonly<Record<string, string | number | boolean>>;

/** A key of a cell: equal for the same labels, whatever their order. Types count: the level 1 is not the level "1". */
export function cellKey(cell: Labels): string {
  return JSON.stringify(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A cell as text: "threads=4, size=1G". The names of a trial's details end with it. */
export function assignmentsText(cell: Labels): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name}=${label}`)
    .join(', ');
}
