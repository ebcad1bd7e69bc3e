import { BenchbookError } from '../../lib/errors.ts';

/** Reads `mysql://user:password@host:port/database`, or `mysql://user@localhost/database?socket=/path`. */
export function parseDsn(dsn: string): URL {
  let url: URL | null = null;
  try {
    url = new URL(dsn);
  } catch {
    // Told below, without the text itself: it may hold a password.
  }
  if (url === null || !/^(mysql|mariadb):$/.test(url.protocol) || url.hostname === '') {
    throw new BenchbookError(
      'study',
      'servers.external wants an address like "mysql://user:password@host:3306/database".',
      {
        hint: 'For a socket: "mysql://user@localhost/database?socket=/run/mysqld/mysqld.sock".',
      },
    );
  }
  return url;
}
