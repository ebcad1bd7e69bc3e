import type { Column } from '../document.ts';

/** A column whose title is its key. */
export function text(key: string): Column {
  return { key, title: key, kind: 'text' };
}

export function code(key: string): Column {
  return { key, title: key, kind: 'code' };
}

export function number(key: string): Column {
  return { key, title: key, kind: 'number', unit: '1' };
}
