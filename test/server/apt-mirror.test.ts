import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAptSources, renderAptSources } from '../../src/formats/tools/apt-sources.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { resolveBuild } from '../../src/server/resolve.ts';
import { servers } from '../../src/server/servers.ts';
import { loaderOf } from '../../src/server/sources/binary/layout.ts';
import { mirrorSource, unknownKey } from '../../src/server/sources/debian/apt-mirror.ts';
import { startServer } from '../../src/server/start.ts';
import { environment, privateFolder } from './real.ts';
import { thrownBy } from './thrown.ts';

const UBUNTU_KEYS = '/usr/share/keyrings/ubuntu-archive-keyring.gpg';

describe('the source for a mirror that is named', () => {
  it.each([
    ['noble', 'http://archive.example/ubuntu'],
    ['jammy', 'https://mirror.example/archive'],
    ['noser', 'http://old-releases.ubuntu.example/ubuntu'],
  ])('%s at %s is taken for Ubuntu: universe, its pockets, its keyring where that is installed', (suite, uri) => {
    const text = (isThere: boolean) => renderAptSources([mirrorSource(suite, { uri }, () => isThere)]);
    const lines = [
      'Types: deb',
      `URIs: ${uri}`,
      `Suites: ${suite} ${suite}-updates ${suite}-security`,
      'Components: main universe',
    ];
    expect(text(true)).toBe(`${[...lines, `Signed-By: ${UBUNTU_KEYS}`].join('\n')}\n`);
    expect(text(false)).toBe(`${lines.join('\n')}\n`);
    expect(parseAptSources(text(true), 'deb822')).toEqual([mirrorSource(suite, { uri }, () => true)]);
  });

  it('Debian has main and its own keyring, a vendor what the machine trusts, and a keyring that is named wins', () => {
    const of = (suite: string, uri: string, keyring?: string) =>
      mirrorSource(suite, { uri, ...(keyring === undefined ? {} : { keyring }) }, () => true);
    expect(of('trixie', 'http://mirror.example/debian')).toMatchObject({
      components: ['main'],
      fields: { 'Signed-By': '/usr/share/keyrings/debian-archive-keyring.gpg' },
    });
    expect(of('trixie', 'http://vendor.example/repo').fields).toEqual({});
    expect(of('noble', 'http://mirror.example/ubuntu', '/k.gpg').fields).toEqual({ 'Signed-By': '/k.gpg' });
  });

  it.each([
    [{ uri: 'mirror.example/ubuntu' }, '"mirror.example/ubuntu" is no address of a mirror.'],
    [{ uri: 'http://a b' }, '"http://a b" is no address of a mirror.'],
    [{ uri: 'http://a/ubuntu\nTrusted: yes' }, '"http://a/ubuntu\nTrusted: yes" is no address of a mirror.'],
    [{ uri: 'http://a/ubuntu', keyring: '/no/such.gpg' }, 'There is no keyring /no/such.gpg.'],
    [{ uri: 'http://a/ubuntu', keyring: 'relative.gpg' }, 'There is no keyring relative.gpg.'],
  ])('refuses what is none: %j', async (mirror, sentence) => {
    expect((await thrownBy(Promise.resolve().then(() => mirrorSource('noble', mirror)))).message).toBe(sentence);
  });

  it('reads which key is missing from gpgv and from sqv', () => {
    expect(unknownKey('W: GPG error: http://x noble InRelease: … not available: NO_PUBKEY 871920D1991BC93C')).toBe(
      '871920D1991BC93C',
    );
    expect(
      unknownKey(
        'Sub-process /usr/bin/sqv returned an error code (1), error message is: Missing key F6ECB3762474EDA9D21B7022871920D1991BC93C, which is needed',
      ),
    ).toBe('F6ECB3762474EDA9D21B7022871920D1991BC93C');
    expect(unknownKey('E: Some index files failed to download.')).toBeNull();
  });

  it('a keyring without a mirror is refused', async () => {
    const error = await thrownBy(Promise.resolve().then(() => servers.debian('noble', { keyring: '/k.gpg' })));
    expect(error.message).toBe('servers.debian has a keyring, but no mirror whose lists it could check.');
  });
});

describe('the loader of a private root', () => {
  const root = async (make: (path: string) => Promise<void>) => {
    const path = await privateFolder();
    await mkdir(path, { recursive: true });
    await make(path);
    return path;
  };
  const file = async (path: string) => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '');
  };
  const TRIPLET = 'x86_64-linux-gnu';
  const LOADER = 'ld-linux-x86-64.so.2';

  it('before the merge of /usr (jammy): /lib/TRIPLET, with both library folders', async () => {
    const path = await root(async (top) => {
      await file(join(top, 'lib', TRIPLET, LOADER));
      await file(join(top, 'usr/lib', TRIPLET, 'libssl.so.3'));
      await mkdir(join(top, 'lib64'));
      await symlink(`/lib/${TRIPLET}/${LOADER}`, join(top, 'lib64', LOADER));
    });
    const [loader, , libraries] = await loaderOf(path);
    expect(loader).toBe(join(path, 'lib', TRIPLET, LOADER));
    expect(libraries!.split(':').slice(0, 2)).toEqual([join(path, 'lib', TRIPLET), join(path, 'usr/lib', TRIPLET)]);
  });

  it('after it (noble): files below /usr/lib, links in their old places', async () => {
    const path = await root(async (top) => {
      await file(join(top, 'usr/lib', TRIPLET, LOADER));
      await symlink('usr/lib', join(top, 'lib'));
      await mkdir(join(top, 'usr/lib64'));
      await symlink(`../lib/${TRIPLET}/${LOADER}`, join(top, 'usr/lib64', LOADER));
      await symlink('usr/lib64', join(top, 'lib64'));
    });
    const [loader] = await loaderOf(path);
    expect(loader).toMatch(new RegExp(`/(usr/)?lib/${TRIPLET}/${LOADER}$`));
  });

  it('never leads to a file of the host', async () => {
    const path = await root(async (top) => {
      await mkdir(join(top, 'lib64'), { recursive: true });
      await symlink(`/lib64/${LOADER}`, join(top, 'lib64', LOADER));
      await symlink('/usr/lib', join(top, 'lib'));
    });
    expect((await thrownBy(loaderOf(path))).message).toBe(`There is no dynamic loader below ${path}.`);
  });
});

/** A mirror laid out as Ubuntu's, signed with a key of its own, that serves a real server with all its libraries as one package. */
describe.skipIf(['apt-get', 'dpkg-deb', 'gpg'].some((tool) => !existsSync(`/usr/bin/${tool}`)))(
  'a mirror of an Ubuntu suite',
  () => {
    let folder: string;
    let http: HttpServer;
    let uri: string;
    let keyring: string;
    const gpg = (...args: string[]) =>
      execFileSync('gpg', ['--homedir', join(folder, 'gpg'), '--batch', '--quiet', '--yes', ...args], {
        stdio: 'pipe',
      });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'benchbook-mirror-'));
      await mkdir(join(folder, 'gpg'), { mode: 0o700 });
      gpg('--passphrase', '', '--quick-generate-key', 'mirror@example.org', 'ed25519', 'sign', 'never');
      keyring = join(folder, 'keys.gpg');
      gpg('--output', keyring, '--export');
      await makeMirror();
      http = createServer((request, response) => {
        readFile(join(folder, 'www', decodeURIComponent(new URL(request.url!, 'http://x').pathname))).then(
          (bytes) => response.end(bytes),
          () => response.writeHead(404).end(),
        );
      });
      await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
      uri = `http://127.0.0.1:${(http.address() as AddressInfo).port}/ubuntu`;
    }, 300_000);
    afterAll(async () => {
      http?.close();
      execFileSync('gpgconf', ['--homedir', join(folder, 'gpg'), '--kill', 'gpg-agent']);
      await rm(folder, { recursive: true, force: true });
    });

    async function makeMirror(): Promise<void> {
      const build = await resolveBuild(servers.debian('bookworm'), environment);
      const root = build.executable.replace(/\/usr\/sbin\/.*/, '');
      const tree = join(folder, 'tree');
      await cp(root, tree, { recursive: true, verbatimSymlinks: true });
      await mkdir(join(tree, 'DEBIAN'));
      const fields = [
        'Package: mariadb-server-core',
        'Version: 1:10.11.99-1',
        'Architecture: amd64',
        'Maintainer: nobody <nobody@example.org>',
        'Description: a server with its libraries',
      ];
      await writeFile(join(tree, 'DEBIAN/control'), `${fields.join('\n')}\n`);
      const pool = join(folder, 'www/ubuntu/pool');
      const index = join(folder, 'www/ubuntu/dists/noble/universe/binary-amd64');
      for (const path of [pool, index, index.replace('universe', 'main')]) await mkdir(path, { recursive: true });
      // Packed as Ubuntu does it.
      execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z1', '--build', tree, join(pool, 'server.deb')], {
        stdio: 'pipe',
      });
      const deb = await readFile(join(pool, 'server.deb'));
      const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
      await writeFile(
        join(index, 'Packages'),
        `${fields.join('\n')}\nFilename: pool/server.deb\nSize: ${deb.length}\nSHA256: ${sha256(deb)}\n`,
      );
      await writeFile(join(index.replace('universe', 'main'), 'Packages'), '');
      const sums = await Promise.all(
        ['main', 'universe'].map(async (component) => {
          const name = `${component}/binary-amd64/Packages`;
          const bytes = await readFile(join(folder, 'www/ubuntu/dists/noble', name));
          return ` ${sha256(bytes)} ${bytes.length} ${name}`;
        }),
      );
      const release = [
        'Origin: Ubuntu',
        'Suite: noble',
        'Codename: noble',
        `Date: ${new Date().toUTCString()}`,
        'Architectures: amd64',
        'Components: main universe',
        'SHA256:',
        ...sums,
      ];
      await writeFile(join(folder, 'release'), `${release.join('\n')}\n`);
      gpg('--clearsign', '--output', join(folder, 'www/ubuntu/dists/noble/InRelease'), join(folder, 'release'));
    }

    it('with its keyring, a server out of universe runs through its own loader', async () => {
      const own = { ...environment, cacheDirectory: join(folder, 'cache') };
      const build = await resolveBuild(servers.debian('noble', { mirror: uri, keyring }), own);
      expect(build.obtained).toMatchObject({
        suite: 'noble',
        packages: [{ name: 'mariadb-server-core', version: '1:10.11.99-1' }],
      });
      expect(build.command[0]!.startsWith(`${own.cacheDirectory}/builds/debian-noble-`)).toBe(true);
      const dataDirectory = await privateFolder();
      await copyDataDirectory(await pristineDirectory(build, {}, own), dataDirectory);
      const server = await startServer(build, {
        dataDirectory,
        options: {},
        startSeconds: 60,
        cacheDirectory: own.cacheDirectory,
      });
      expect(await server.sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await server.stop('crash');
      const [apt] = await readdir(join(own.cacheDirectory, 'apt'));
      const sources = await readFile(join(own.cacheDirectory, 'apt', apt!, 'etc/sources.sources'), 'utf8');
      // Pockets that the mirror does not have are left out.
      expect(sources).toBe(
        `Types: deb\nURIs: ${uri}\nSuites: noble\nComponents: main universe\nSigned-By: ${keyring}\n`,
      );
      expect(await readFile(join(own.cacheDirectory, 'apt', apt!, 'apt.conf'), 'utf8')).toContain(
        'Always-Include-Phased-Updates "true"',
      );
    }, 180_000);

    it('without it, the sentence names the key and the mend', async () => {
      const own = { ...environment, cacheDirectory: join(folder, 'cache2') };
      const error = await thrownBy(resolveBuild(servers.debian('noble', { mirror: uri }), own));
      expect(error.message).toMatch(
        /^The package lists of "noble" are signed with a key that is missing here, [0-9A-F]{16,40}\.$/,
      );
      expect(error.hint).toContain('ubuntu-keyring');
    }, 60_000);
  },
);
