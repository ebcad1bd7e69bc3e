import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { familyOfVersion } from '../../families/families.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { ServerSource } from '../../study/types.ts';
import { type Build, buildId } from '../build.ts';
import { connectionSettings, sqlOver } from '../connection.ts';
import { parseDsn } from '../sources/dsn.ts';
import { createConnection } from './client.ts';
import type { Server } from './server.ts';

type ExternalSource = Extract<ServerSource, { source: 'external' }>;

/** Where a build is reached, kept apart from the build itself: it holds a password, and builds are written down. */
const addresses = new WeakMap<Build, URL>();

/**
 * A server that somebody else runs. What it is comes from its greeting: no statement is run that the study did not
 * write, here or later.
 */
export async function resolveExternal(source: ExternalSource): Promise<Build> {
  const url = parseDsn(source.dsn);
  const connection = await open(url);
  const version = greetingOf(connection);
  await connection.end();
  const identity = {
    // Old clients took MariaDB 10 for a replica of 5.5, so it says "5.5.5-10.…"; "-log" tells of an option.
    version: version.replace(/^5\.5\.5-(?=\d+\.\d+\.\d+-MariaDB)/, '').replace(/-log$/, ''),
    family: familyOfVersion(version).name,
    sourceRevision: null,
    executable: '',
    command: [],
    env: {},
    defaults: [],
    obtained: { source: 'external', database: url.pathname.slice(1) || null },
    toolchain: null,
    executableSha256: '',
  };
  const build: Build = { ...identity, id: buildId(identity) };
  addresses.set(build, url);
  return build;
}

/** Where such a server is reached, with its password: for a connection, never to be written down. Null for any other build. */
export function addressOf(build: Build): string | null {
  return addresses.get(build)?.href ?? null;
}

/** A further connection to an external server. */
export async function openExternal(address: string): Promise<Connection> {
  return await open(new URL(address));
}

/** The external server as measurements see it; `stop` only closes the connections. */
export async function connectExternal(build: Build): Promise<Server> {
  const url = addresses.get(build);
  if (url === undefined) throw new BenchbookError('server', `${build.version} is not an external server.`);
  const connection = await open(url);
  let ended: () => void = () => undefined;
  const exited = new Promise<{ code: null; signal: null }>((resolve) => {
    ended = () => resolve({ code: null, signal: null });
  });
  connection.on('error', () => undefined);
  const extra: Connection[] = [];
  return {
    build,
    pid: Number.NaN,
    socketPath: '',
    dataDirectory: '',
    argv: [],
    moments: [],
    cpuAtReady: { userSeconds: Number.NaN, systemSeconds: Number.NaN },
    exited,
    logText: () => '',
    sql: sqlOver(connection),
    async connect() {
      const another = await open(url);
      extra.push(another);
      return { sql: sqlOver(another), close: () => another.end() };
    },
    async stop() {
      for (const each of [connection, ...extra]) each.destroy();
      ended();
      await sleep(0);
      return { seconds: 0 };
    },
  };
}

async function open(url: URL): Promise<Connection> {
  const socketPath = url.searchParams.get('socket');
  try {
    return await createConnection({
      ...connectionSettings,
      ...(socketPath === null ? { host: url.hostname, port: Number(url.port || 3306) } : { socketPath }),
      user: decodeURIComponent(url.username || 'root'),
      password: decodeURIComponent(url.password),
      ...(url.pathname.length > 1 ? { database: decodeURIComponent(url.pathname.slice(1)) } : {}),
      // Fixed: a server that is there accepts within a round trip or some. Its statements have the limit of their measurement.
      connectTimeout: 10_000,
    });
  } catch (error) {
    const where = socketPath ?? `${url.hostname}:${url.port || 3306}`;
    throw new BenchbookError(
      'server',
      `The external server at ${where} could not be reached: ${sentenceOf(error) || String((error as { code?: unknown }).code)}`,
    );
  }
}

function greetingOf(connection: Connection): string {
  const inner = connection as unknown as { connection?: { _handshakePacket?: { serverVersion?: string } } };
  return inner.connection?._handshakePacket?.serverVersion ?? 'unknown';
}
