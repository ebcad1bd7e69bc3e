import Handlebars from 'handlebars';

const escaped = Handlebars.escapeExpression;

interface Grammar {
  readonly comment: RegExp;
  readonly string: RegExp;
  readonly keyword: RegExp;
}

const WORDS = {
  script:
    'as|async|await|case|catch|class|const|default|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|readonly|return|satisfies|switch|this|throw|true|try|type|typeof|undefined|void|while',
  sql: 'alter|analyze|and|as|begin|by|call|commit|create|database|delete|desc|distinct|drop|end|engine|explain|flush|format|from|global|group|having|if|in|index|insert|into|is|join|key|like|limit|not|null|on|or|order|partition|primary|procedure|select|session|set|show|table|unsigned|update|values|variables|where|while',
  shell: 'case|cd|do|done|echo|elif|else|env|esac|exit|export|fi|for|if|in|set|then|while',
} as const;

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  script: {
    comment: /\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/,
    string: /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/,
    keyword: words(WORDS.script, ''),
  },
  sql: {
    comment: /--\s.*|#.*|\/\*[\s\S]*?(?:\*\/|$)/,
    string: /'(?:\\.|''|[^'\\])*'|"(?:\\.|[^"\\])*"/,
    keyword: words(WORDS.sql, 'i'),
  },
  shell: { comment: /(?<=^|\s)#.*/, string: /'[^']*'|"(?:\\.|[^"\\])*"/, keyword: words(WORDS.shell, '') },
  ini: { comment: /(?<=^|\n)\s*[#;].*/, string: /"[^"\n]*"/, keyword: /(?<=^|\n)\[[^\]\n]*\]/ },
};

const LANGUAGES: Readonly<Record<string, string>> = {
  typescript: 'script',
  ts: 'script',
  javascript: 'script',
  js: 'script',
  json: 'script',
  sql: 'sql',
  shell: 'shell',
  sh: 'shell',
  bash: 'shell',
  ini: 'ini',
  cnf: 'ini',
};

/** Longer texts are data rather than code, and stay plain. */
const MOST_CHARACTERS = 60_000;

/** Code as HTML with comments, strings and keywords marked; plain, but always escaped, in languages that it does not know. */
export function highlighted(text: string, language: string): string {
  const name = Object.hasOwn(LANGUAGES, language.toLowerCase()) ? LANGUAGES[language.toLowerCase()]! : null;
  const grammar = name === null ? undefined : GRAMMARS[name];
  if (!grammar || text.length > MOST_CHARACTERS) return escaped(text);
  const kinds = ['comment', 'string', 'keyword'] as const;
  const flags = grammar.keyword.flags.includes('i') ? 'gi' : 'g';
  const all = new RegExp(kinds.map((kind) => `(?<${kind}>${grammar[kind].source})`).join('|'), flags);
  let html = '';
  let at = 0;
  for (const match of text.matchAll(all)) {
    const kind = kinds.find((candidate) => match.groups?.[candidate] !== undefined);
    html += `${escaped(text.slice(at, match.index))}<span class="code-${kind}">${escaped(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escaped(text.slice(at));
}

function words(list: string, flags: string): RegExp {
  return new RegExp(`(?<![\\w.-])(?:${list})(?![\\w-])`, flags);
}
