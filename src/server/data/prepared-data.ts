import type { TableInventory } from './inventory.ts';

/** A data set that is ready to be copied. */
export interface PreparedData {
  /** Read only: copy it, never run on it. */
  readonly directory: string;
  readonly summary: DataSummary;
}

export interface DataSummary {
  readonly name: string;
  readonly order: string;
  /** Content, build and creation-time options, as a short hash. */
  readonly key: string;
  readonly preparedBy: string;
  readonly tables: readonly TableInventory[];
  /** Filling, indexing and statistics; without the copy and the restarts. */
  readonly loadSeconds: number;
}
