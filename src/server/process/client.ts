import type { Connection, ConnectionOptions } from 'mysql2/promise';

/** A connection of the client library, which is loaded here: studies and reports that never connect do not wait for it. */
export async function createConnection(options: ConnectionOptions): Promise<Connection> {
  const { default: mysql } = await import('mysql2/promise');
  return await mysql.createConnection(options);
}
