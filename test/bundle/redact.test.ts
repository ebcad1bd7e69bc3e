import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { copyRedacted } from '../../src/bundle/redact/copy.ts';
import { findNames, type PrivateNames } from '../../src/bundle/redact/private-names.ts';
import { redactor } from '../../src/bundle/redact/redactor.ts';
import type { Entry, JsonValue } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { openJournal } from '../../src/journal/write.ts';

const names = (users: string[], hosts: string[] = [], folders: string[] = []): PrivateNames => ({
  users: new Set(users),
  hosts: new Set(hosts),
  folders: new Set(folders),
});
const redact = (
  text: string,
  found: PrivateNames = names(['alice', 'al'], ['db7', 'db7.acme.corp']),
  kept: string[] = [],
) => redactor(found, new Set(kept), new Set()).text(text);

describe('user and host names', () => {
  test.each([
    ['alice ran it, and Alice again', 'user-1 ran it, and user-1 again'],
    ['alice_db, alice-laptop, (alice)', 'user-1_db, user-1-laptop, (user-1)'],
    ['malice, alices and chalice hold it', 'malice, alices and chalice hold it'],
    ['always al', 'always al'],
    ['on db7.acme.corp or db7: up', 'on host-1 or host-2: up'],
    ['adb7 and db71', 'adb7 and db71'],
    ['mail alice.b@acme.example.net now', 'mail mail-1 now'],
    ["Access denied for user 'alice'@'db7'", "Access denied for user 'user-1'@'host-1'"],
    ['https://jira.mariadb.org/browse/MDEV-1', 'https://jira.mariadb.org/browse/MDEV-1'],
    ['https://wiki.acme.example.net/x', 'https://host-1/x'],
    ['git+ssh://alice@code.acme.io/srv/x.git', 'git+ssh://user-1@host-1/srv/x.git'],
  ])('%s', (text, wanted) => expect(redact(text)).toBe(wanted));

  test('a name may hold any character', () => {
    const found = names(['a.b-c'], ['replica-3', 'x(1)']);
    expect(redact('a.b-c at replica-3, not aXb-c at replica-33; x(1)', found)).toBe(
      'user-1 at host-1, not aXb-c at replica-33; host-2',
    );
  });

  test('a name that is a word of the study stays as a word and goes in a path', () => {
    expect(redact('the pool of /home/pool/x', names(['pool']), ['pool'])).toBe('the pool of /home/user-1/dir-1');
  });

  test('are found where they stand', () => {
    const found = findNames(
      [
        "Access denied for user 'carol'@'db9.acme.io'",
        '--user=dave --mysql-host=db10',
        'mysql://erin:pw@db11:3306/x',
        '/home/frank/x',
        "root'@'localhost",
        '--report-host=replica-3',
      ],
      names([]),
    );
    expect([...found.users].sort()).toEqual(['carol', 'dave', 'erin', 'frank']);
    expect([...found.hosts].sort()).toEqual(['db10', 'db11', 'db9.acme.io', 'replica-3']);
  });
});

describe('addresses', () => {
  test.each([
    ['from 192.168.4.17:3306 to 192.168.4.17', 'from address-1:3306 to address-1'],
    ['[2001:db8::1]:3306 and fe80::1%eth0', '[address-1]:3306 and address-2'],
    ['::ffff:10.1.2.3', 'address-1'],
    ['at 2001:0db8:85a3:0000:0000:8a2e:0370:7334.', 'at address-1.'],
    ['02:42:ac:11:00:02', 'address-1'],
    ['127.0.0.1, ::1, 0.0.0.0', '127.0.0.1, ::1, 0.0.0.0'],
    ['12:34:56 and std::string and 10.11.19-MariaDB', '12:34:56 and std::string and 10.11.19-MariaDB'],
    ['1:10.11.19-0+deb12u1, 999.1.1.1', '1:10.11.19-0+deb12u1, 999.1.1.1'],
  ])('%s', (text, wanted) => expect(redact(text)).toBe(wanted));
});

describe('absolute paths', () => {
  test.each([
    ['--datadir=/srv/acme/db1 --x=/srv/acme/db2', '--datadir=/srv/dir-1/dir-2 --x=/srv/dir-1/dir-3'],
    [
      "'/home/alice/db/seed.sql' and /home/alice/db/more.sql",
      "'/home/user-1/dir-1/file-1.sql' and /home/user-1/dir-1/file-2.sql",
    ],
    ['/a1/b1:/a1/c1', '/dir-1/dir-2:/dir-1/dir-3'],
    ['file:///home/alice/x', 'file:///home/user-1/dir-1'],
    ['/usr/sbin/mariadbd and {cache}/builds/x/y', '/usr/sbin/mariadbd and {cache}/builds/x/y'],
    ['r/w/o and 3 /s and </p> and ./x/y', 'r/w/o and 3 /s and </p> and ./x/y'],
    ['/données/été/x', '/dir-1/dir-2/dir-3'],
  ])('%s', (text, wanted) => expect(redact(text)).toBe(wanted));

  test('a known folder with a space', () => {
    expect(redact('see /home/alice b/work/x', names(['alice b'], [], ['/home/alice b']))).toBe(
      'see /home/user-1/dir-1/dir-2',
    );
  });
});

test('what is redacted stays as it is when redacted again, and no name is left as a word', () => {
  const piece = fc.constantFrom(
    'alice',
    '/home/alice/x',
    'db7',
    '10.1.2.3',
    ' ',
    'x=',
    "'",
    ':',
    ',',
    'fe80::1',
    'mysql://alice:pw@db7/x',
    'a@b.cc',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const once = redact(pieces.join(' '));
      expect(redact(once)).toBe(once);
      expect(once).not.toMatch(/(?<![a-z0-9])(?:alice|db7|10\.1\.2\.3|fe80::1)(?![a-z0-9])/);
    }),
  );
});

describe('a whole run', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  const folder = async () => {
    const made = await mkdtemp(join(tmpdir(), 'benchbook-redact-'));
    folders.push(made);
    return made;
  };

  test('is copied without names, chained anew, naming the journal that it comes from', async () => {
    const from = await folder();
    const journal = await openJournal(from);
    const log = await journal.putArtefact('error log', "alice at 10.9.8.7: '/home/alice/db/x'\n");
    await journal.append(...entries('/home/alice/mariadb/bin/mariadbd', log));
    await journal.close();
    const { head } = journal.state();
    await writeFile(join(from, 'study.ts'), STUDY);
    const to = await folder();
    const redaction = await copyRedacted(await readJournal(from), from, to, true, names(['alice'], ['db7']));
    await verifyJournal(to);
    const copy = await readJournal(to);
    expect(copy.entries[0]).toMatchObject({ redactedFrom: { head, lines: 2 } });
    expect(copy.head).not.toBe(head);
    const texts = await everything(to);
    expect(texts).not.toMatch(/alice|db7|10\.9\.8\.7|hunter22/);
    expect(texts).toContain('/home/user-1/mariadb/bin/mariadbd');
    expect(texts).toContain("const dsn = 'mysql://user-1:***@host-1/x'");
    expect(redaction.replacements.map(({ standIn }) => standIn)).toEqual(
      expect.arrayContaining(['user-1', 'host-1', 'address-1', '***']),
    );
  });

  test('a secret known from one file goes from every other', async () => {
    const from = await folder();
    const journal = await openJournal(from);
    const log = await journal.putArtefact('error log', 'tried hunter22 once more\n');
    await journal.append(...entries('/usr/sbin/mariadbd', log));
    await journal.close();
    await writeFile(join(from, 'study.ts'), "const dsn = 'mysql://u:hunter22@db7/x';\n");
    const to = await folder();
    await copyRedacted(await readJournal(from), from, to, true, names([]));
    expect(await everything(to)).not.toContain('hunter22');
  });
});

const STUDY = "// by alice\nconst dsn = 'mysql://alice:hunter22@db7/x';\n";

async function everything(folder: string): Promise<string> {
  const paths = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    paths.filter((each) => each.isFile()).map((each) => readFile(join(each.parentPath, each.name), 'utf8')),
  );
  return texts.join('\n');
}

function entries(
  executable: string,
  log: Awaited<ReturnType<Awaited<ReturnType<typeof openJournal>>['putArtefact']>>,
): Entry[] {
  const at = '2026-01-02T03:04:05.000Z';
  return [
    {
      type: 'run',
      format: 1,
      toolVersion: '0.1.0',
      runId: '20260102T030405Z',
      studyId: 'x',
      studyHash: '0'.repeat(64),
      startedAt: at,
      seed: 1,
      profile: null,
      command: 'benchbook run x',
      draft: { title: 'x', source: { file: 'x.study.ts', text: STUDY } } as JsonValue,
      plan: {},
    },
    {
      type: 'trial',
      trialId: 'b001-x',
      variantId: 'x',
      cell: { owner: 'alice' },
      block: 1,
      position: 1,
      startedAt: at,
      durationSeconds: 1,
      counted: true,
      outcome: 'ok',
      argv: [executable, '--no-defaults', '--report-host=db7'],
      samples: [],
      cautions: [],
      artefacts: [log],
    },
  ];
}
