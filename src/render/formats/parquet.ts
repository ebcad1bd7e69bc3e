import { dataFileNames } from '../tables/data-files.ts';
import { defineFormat } from './format.ts';

/** Every table of the document below `data/`. */
export const parquet = defineFormat({
  name: 'parquet',
  isUsual: false,
  kind: 'data',
  files: [],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { tableParquet } = await import('../tables/parquet.ts');
    const { tables } = job.document;
    const names = dataFileNames(tables);
    for (const table of Object.values(tables))
      await job.write(`data/${names.get(table.name)!}.parquet`, tableParquet(table));
  },
});
