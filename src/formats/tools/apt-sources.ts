/** One source of packages, as an apt sources file states it. */
export interface AptSource {
  readonly types: readonly string[];
  readonly uris: readonly string[];
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** Further fields by their deb822 name, `Signed-By` among them. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Reads an apt sources file: one-line style (`.list`) or deb822 style (`.sources`), see sources.list(5).
 * Disabled stanzas and comments are left out; lines that are neither are ignored, as apt itself reports them.
 */
export function parseAptSources(text: string, style: 'list' | 'deb822'): readonly AptSource[] {
  return style === 'list' ? parseList(text) : parseStanzas(text);
}

/** The sources as one deb822 text. */
export function renderAptSources(sources: readonly AptSource[]): string {
  return sources
    .map((source) => {
      const lines = [
        `Types: ${source.types.join(' ')}`,
        `URIs: ${source.uris.join(' ')}`,
        `Suites: ${source.suites.join(' ')}`,
        ...(source.components.length > 0 ? [`Components: ${source.components.join(' ')}`] : []),
        ...Object.entries(source.fields).map(([name, value]) => `${name}: ${value}`),
      ];
      return `${lines.join('\n')}\n`;
    })
    .join('\n');
}

/** Names of one-line options and the deb822 fields that they stand for. */
const FIELD_OF_OPTION: Readonly<Record<string, string>> = {
  arch: 'Architectures',
  'signed-by': 'Signed-By',
  trusted: 'Trusted',
  'check-valid-until': 'Check-Valid-Until',
  'by-hash': 'By-Hash',
};

function parseList(text: string): readonly AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)\s*(?:#.*)?$/.exec(line);
    if (match === null) continue;
    const [, type, options = '', uri, suite, components = ''] = match;
    const fields: Record<string, string> = {};
    for (const option of options.split(/\s+/).filter(Boolean)) {
      const [name = '', value = ''] = option.split(/=(.*)/s);
      const field = FIELD_OF_OPTION[name.toLowerCase()];
      if (field !== undefined) fields[field] = value.replaceAll(',', ' ');
    }
    sources.push({ types: [type!], uris: [uri!], suites: [suite!], components: words(components), fields });
  }
  return sources;
}

function parseStanzas(text: string): readonly AptSource[] {
  const withoutComments = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return withoutComments.split(/\n(?:[ \t]*\n)+/).flatMap((stanza) => {
    const fields: Record<string, string> = {};
    for (const match of stanza.matchAll(/^([\w-]+):([^\n]*(?:\n[ \t][^\n]*)*)/gm)) {
      fields[canonical(match[1]!)] = match[2]!.trim();
    }
    const { Types = '', URIs = '', Suites = '', Components = '', Enabled = 'yes', ...rest } = fields;
    if (/^(no|false|0|off)$/i.test(Enabled) || URIs === '' || Suites === '') return [];
    return [
      { types: words(Types), uris: words(URIs), suites: words(Suites), components: words(Components), fields: rest },
    ];
  });
}

/** Field names are case-insensitive. */
function canonical(name: string): string {
  if (name.toLowerCase() === 'uris') return 'URIs';
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}
