import { describe, expect, it } from 'vitest';
import { sameSetting, type VariableType } from '../../src/server/options/same-setting.ts';

const FLUSH: VariableType = {
  type: 'ENUM',
  values: ['fsync', 'O_DSYNC', 'littlesync', 'nosync', 'O_DIRECT', 'O_DIRECT_NO_FSYNC'],
};
const SET: VariableType = { type: 'SET', values: ['NONE', 'FILE', 'TABLE'] };
const SWITCH: VariableType = { type: 'FLAGSET', values: ['index_merge', 'mrr', 'default'] };
const NONE = undefined;

describe('a requested value and what the server shows', () => {
  it.each([
    ['4', 'O_DIRECT', FLUSH, true],
    ['5', 'O_DIRECT', FLUSH, false],
    ['9', 'fsync', FLUSH, false],
    ['o_direct', 'O_DIRECT', FLUSH, true],
    ['O_DS', 'O_DSYNC', FLUSH, true],
    ['O_D', 'O_DSYNC', FLUSH, false],
    ['', 'fsync', FLUSH, false],
    ['TABLE,FILE', 'FILE,TABLE', SET, true],
    ['table, file', 'FILE,TABLE', SET, true],
    ['6', 'FILE,TABLE', SET, true],
    ['3', 'FILE,TABLE', SET, false],
    ['FILE', 'FILE,TABLE', SET, false],
    ['TABLE,FILE', 'FILE,TABLE', NONE, true],
    ['index_merge=off', 'index_merge=off,mrr=on', SWITCH, true],
    ['MRR=ON,index_merge=off', 'index_merge=off,mrr=on', SWITCH, true],
    ['index_merge=on', 'index_merge=off,mrr=on', SWITCH, false],
    ['mrr=off,mrr=on', 'index_merge=off,mrr=on', NONE, true],
    ['mrr=on,mrr=off', 'index_merge=off,mrr=on', NONE, false],
    ['nonsense=on', 'index_merge=off,mrr=on', NONE, false],
    ['utf8', 'utf8mb3', NONE, true],
    ['UTF8_general_ci', 'utf8mb3_general_ci', NONE, true],
    ['utf8', 'utf8mb4', NONE, false],
    ['+2:00', '+02:00', NONE, true],
    ['-00:00', '+00:00', NONE, true],
    ['+02:00', '-02:00', NONE, false],
    ['./undo/', './undo', NONE, true],
    ['undo', '/data/undo/', NONE, true],
    ['./undo', '/elsewhere/undo/', NONE, false],
    ['18446744073709551615', '18446744073709551614', NONE, false],
    ['16E', '18446744073709551616', NONE, true],
    ['1.50', '1.5', NONE, true],
    ['128M', '134217728', NONE, true],
    ['true', 'ON', NONE, true],
    ['', 'x', NONE, false],
  ])('%s and %s', (requested, effective, type, same) => {
    const about = type === undefined ? {} : { type };
    expect(sameSetting(requested, effective, { ...about, dataDirectory: '/data', utf8: 'utf8mb3' })).toBe(same);
  });
});
