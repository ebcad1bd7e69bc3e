import type { Server } from '../start.ts';

/** A table of a data set as it lies on disk, and what is in it. */
export interface TableInventory {
  readonly table: string;
  readonly engine: string;
  readonly rows: number;
  /** SUM of the CRC32 of all rows: the same for the same rows in any order and layout. */
  readonly checksum: string;
  readonly dataBytes: number;
  readonly indexBytes: number;
  /** Of the clustered index, all partitions together; null where the engine does not tell. */
  readonly leafPages: number | null;
}

/** Counts, checksums and pages of every table of a database, with fresh statistics. */
export async function inventoryOf(server: Server, database: string): Promise<readonly TableInventory[]> {
  const tables = await server.sql(
    "SELECT TABLE_NAME AS name, ENGINE AS engine FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1",
    [database],
  );
  const inventory: TableInventory[] = [];
  for (const { name, engine } of tables) {
    const table = `\`${database}\`.\`${String(name).replaceAll('`', '``')}\``;
    await server.sql(`ANALYZE TABLE ${table}`);
    inventory.push({
      table: String(name),
      engine: String(engine),
      ...(await contentOf(server, database, String(name), table)),
      ...(await sizeOf(server, database, String(name))),
      leafPages: String(engine).toUpperCase() === 'INNODB' ? await leafPagesOf(server, database, String(name)) : null,
    });
  }
  return inventory;
}

async function contentOf(server: Server, database: string, name: string, table: string) {
  const columns = await server.sql(
    'SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION',
    [database, name],
  );
  // CONCAT makes a text of anything, HEX keeps it apart from the separator, and NULL differs from every text.
  const fields = columns.map(
    (column) => `COALESCE(HEX(CONCAT(\`${String(column.name).replaceAll('`', '``')}\`)), 'NULL')`,
  );
  const [row] = await server.sql(
    `SELECT COUNT(*) AS c, CAST(COALESCE(SUM(CRC32(CONCAT_WS(',', ${fields.join(', ')}))), 0) AS CHAR) AS s FROM ${table}`,
  );
  return { rows: Number(row!.c), checksum: String(row!.s) };
}

async function sizeOf(server: Server, database: string, name: string) {
  const [row] = await server.sql(
    'SELECT DATA_LENGTH AS d, INDEX_LENGTH AS i FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    [database, name],
  );
  return { dataBytes: Number(row!.d ?? 0), indexBytes: Number(row!.i ?? 0) };
}

/** The clustered index is named PRIMARY, or GEN_CLUST_INDEX where the table has no key. */
async function leafPagesOf(server: Server, database: string, name: string): Promise<number | null> {
  const rows = await server.sql(
    "SELECT stat_value AS pages FROM mysql.innodb_index_stats WHERE database_name = ? AND (table_name = ? OR LOWER(table_name) LIKE CONCAT(LOWER(?), '#p#%')) AND index_name IN ('PRIMARY', 'GEN_CLUST_INDEX') AND stat_name = 'n_leaf_pages'",
    [database, name, name.replaceAll('_', '\\_')],
  );
  return rows.length === 0 ? null : rows.reduce((sum, row) => sum + Number(row.pages), 0);
}
