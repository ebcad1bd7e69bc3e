/**
 * The whole environment of a server: nothing of the user's own, where variables such as MYSQL_HOME, UMASK or HOME would act
 * as options. Its log is in UTC and in English.
 */
export function aloneIn(env: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C', ...env };
}
