import type { Block, Table } from '../document.ts';

/** A part of the report and the tables that it shows. */
export interface Part {
  readonly blocks: readonly Block[];
  readonly tables: readonly Table[];
}
