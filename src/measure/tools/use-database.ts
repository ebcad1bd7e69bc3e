/** Makes it the database of the connection. */
export async function useDatabase(sql: (text: string) => Promise<unknown>, database: string): Promise<void> {
  await sql(`USE \`${database.replaceAll('`', '``')}\``);
}
