import { describe, expect, it } from 'vitest';
import { ScriptFault, StatementSplitter } from '../../src/formats/sql-statements.ts';

/** A script in pieces of a size: wherever a piece ends, the statements are the same. */
function split(script: string, size = script.length + 1, limit = 1e9): [number, string][] {
  const splitter = new StatementSplitter(limit);
  const found = [];
  for (let at = 0; at < script.length; at += size) found.push(...splitter.push(script.slice(at, at + size)));
  return [...found, ...splitter.end()].map(({ line, text }) => [line, text]);
}

const CASES: Readonly<Record<string, readonly [string, readonly (readonly [number, string])[]]>> = {
  'two lines': [
    'SELECT 1;\nSELECT 2;\n',
    [
      [1, 'SELECT 1'],
      [2, 'SELECT 2'],
    ],
  ],
  'no delimiter at the end': [
    'SELECT 1;\n\n SELECT 2 \n',
    [
      [1, 'SELECT 1'],
      [3, 'SELECT 2'],
    ],
  ],
  'empty statements': [';;\n;', []],
  'quotes of all kinds': [
    `SELECT 'a;b', "c;d", \`e;f\`;SELECT 2`,
    [
      [1, `SELECT 'a;b', "c;d", \`e;f\``],
      [1, 'SELECT 2'],
    ],
  ],
  'doubled quotes': [
    `SELECT 'a'';b', "c"";d", \`e\`\`;f\`;x`,
    [
      [1, `SELECT 'a'';b', "c"";d", \`e\`\`;f\``],
      [1, 'x'],
    ],
  ],
  backslashes: [
    `SELECT 'a\\';b', "c\\";d", 'e\\\\';x`,
    [
      [1, `SELECT 'a\\';b', "c\\";d", 'e\\\\'`],
      [1, 'x'],
    ],
  ],
  'a backslash in a name': [
    'SELECT `a\\`;x',
    [
      [1, 'SELECT `a\\`'],
      [1, 'x'],
    ],
  ],
  'other quotes within quotes': [
    `SELECT '"', "'", '\`';x`,
    [
      [1, `SELECT '"', "'", '\`'`],
      [1, 'x'],
    ],
  ],
  'comments before, within and after': [
    "-- it's; one\n# 'two;\n/* three; ' */ SELECT /* ; ' */ 1 -- ;'\n + 1; -- four;\n",
    [[3, "SELECT /* ; ' */ 1 -- ;'\n + 1"]],
  ],
  'two dashes without a space': [
    'SELECT 5--1;x',
    [
      [1, 'SELECT 5--1'],
      [1, 'x'],
    ],
  ],
  'two dashes at the end of a line': ['--\nSELECT 1', [[2, 'SELECT 1']]],
  'a comment that holds a star': [
    '/***/SELECT 1;/* **/x',
    [
      [1, 'SELECT 1'],
      [1, 'x'],
    ],
  ],
  'conditional comments': [
    `/*!40101 SET NAMES utf8mb4 */;\n/*M!100616 SET @a=';*/' */;`,
    [
      [1, '/*!40101 SET NAMES utf8mb4 */'],
      [2, `/*M!100616 SET @a=';*/' */`],
    ],
  ],
  'hints are no conditional comments': [
    'SELECT /*+ a;b */ 1;x',
    [
      [1, 'SELECT /*+ a;b */ 1'],
      [1, 'x'],
    ],
  ],
  DELIMITER: [
    `SELECT 1;\nDELIMITER ;;\nCREATE PROCEDURE p() BEGIN SELECT ';;'; SELECT 2; END ;;\ndelimiter ;\nSELECT 3;`,
    [
      [1, 'SELECT 1'],
      [3, `CREATE PROCEDURE p() BEGIN SELECT ';;'; SELECT 2; END`],
      [5, 'SELECT 3'],
    ],
  ],
  'other delimiters, with line ends of Windows': [
    `DELIMITER //\r\nBEGIN a; END//\r\nDELIMITER '$$' -- so\r\nb; c$$\r\nDELIMITER ;\r\nd;`,
    [
      [2, 'BEGIN a; END'],
      [4, 'b; c'],
      [6, 'd'],
    ],
  ],
  'a delimiter within a conditional comment': [
    '/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN SET @a=1; END */;;',
    [
      [1, '/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON a FOR EACH ROW BEGIN SET @a=1'],
      [1, 'END */'],
    ],
  ],
  'a column named delimiter': [
    'SELECT\ndelimiter FROM t;x',
    [
      [1, 'SELECT\ndelimiter FROM t'],
      [2, 'x'],
    ],
  ],
  'the mark of the sandbox': [
    '/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\n/*!40101 SET @a=1 */;x',
    [
      [1, '/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\n/*!40101 SET @a=1 */'],
      [3, 'x'],
    ],
  ],
  'lines within quotes': [
    "INSERT INTO a VALUES ('1\n2\\\n3');\n\nx",
    [
      [1, "INSERT INTO a VALUES ('1\n2\\\n3')"],
      [5, 'x'],
    ],
  ],
};

/** CPU time, so that what else the machine does is no part of it. */
function cpuMilliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

describe('statements of a script', () => {
  for (const [name, [script, expected]] of Object.entries(CASES)) {
    it(`${name}, wherever a piece ends`, () => {
      expect(split(script)).toEqual(expected);
      for (const size of [1, 2, 3, 5, 7, 13]) expect(split(script, size)).toEqual(expected);
    });
  }

  it.each([
    ["SELECT 1;\nSELECT 'a;\nb", 2, "the ' that stands here is not closed"],
    ['SELECT 1;\n\n/* a;\nb', 3, 'the comment that begins here does not end'],
    ['x;\nDELIMITER  \ny', 2, 'DELIMITER names no delimiter'],
    [`x;\nSELECT '${'y'.repeat(5000)}';`, 2, 'the statement that begins here has more than 1000 bytes'],
  ])('a fault is told with its line: %#', (script, line, message) => {
    for (const size of [1, 7, 1e6]) {
      let thrown: unknown;
      try {
        split(script, size, 1000);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ScriptFault);
      expect(thrown).toMatchObject({ line, message });
    }
  });

  it('takes time in proportion to the dump', () => {
    const row = `(1,'it''s \\'x\\' -- no # comment; /* ${'y'.repeat(150)}',0x00ff),`;
    const insert = `INSERT INTO \`t\` VALUES ${row.repeat(5000)}(2,NULL,NULL);\n`;
    const seconds = (megabytes: number, size: number) => {
      const splitter = new StatementSplitter(1e9);
      const count = Math.ceil((megabytes << 20) / insert.length);
      const script = insert.repeat(count);
      const start = process.cpuUsage();
      let found = 0;
      for (let at = 0; at < script.length; at += size) found += splitter.push(script.slice(at, at + size)).length;
      found += splitter.end().length;
      expect(found).toBe(count);
      return cpuMilliseconds(start) / 1000;
    };
    seconds(2, 1 << 20);
    expect(seconds(50, 1 << 20)).toBeLessThan(30);
    // One statement of many small pieces, and comments, quotes and delimiters that never come.
    for (const part of ["('a''b'),", '-- x\n', '/* ', '\\\\', "'", '#\n', ' ', '-', '/', 'DELIMITER']) {
      const time = (bytes: number) => {
        const splitter = new StatementSplitter(1e9);
        const script = `x ${part.repeat(bytes / part.length)}`;
        const start = process.cpuUsage();
        for (let at = 0; at < script.length; at += 65_536) splitter.push(script.slice(at, at + 65_536));
        return cpuMilliseconds(start);
      };
      time(2e5);
      const small = Math.min(time(5e5), time(5e5));
      expect(Math.min(time(2e6), time(2e6))).toBeLessThan(12 * small + 500);
    }
  });
});
