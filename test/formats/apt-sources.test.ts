import { expect, test } from 'vitest';
import { parseAptSources, renderAptSources } from '../../src/formats/tools/apt-sources.ts';

test('one-line sources with options, comments and what is no source', () => {
  const text = `# a comment
deb http://mirror.example/debian bookworm main contrib # trailing
deb [arch=amd64,arm64 signed-by=/usr/share/keyrings/k.gpg] https://mirror.example/debian bookworm-updates main
deb-src http://mirror.example/debian bookworm main
#deb http://off.example/debian bookworm main
nonsense
deb http://mirror.example/flat ./`;
  const plain = { types: ['deb'], uris: ['http://mirror.example/debian'], suites: ['bookworm'], fields: {} };
  expect(parseAptSources(text, 'list')).toEqual([
    { ...plain, components: ['main', 'contrib'] },
    {
      types: ['deb'],
      uris: ['https://mirror.example/debian'],
      suites: ['bookworm-updates'],
      components: ['main'],
      fields: { Architectures: 'amd64 arm64', 'Signed-By': '/usr/share/keyrings/k.gpg' },
    },
    { ...plain, types: ['deb-src'], components: ['main'] },
    { ...plain, uris: ['http://mirror.example/flat'], suites: ['./'], components: [] },
  ]);
});

test('deb822 stanzas: several suites, comments inside, a key in place of its file, disabled ones left out', () => {
  const text = `Types: deb
# comment inside
URIs: http://mirror.example/debian
suites: bookworm bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://off.example/
Suites: x
`;
  const sources = parseAptSources(text, 'deb822');
  expect(sources).toHaveLength(1);
  expect(sources[0]).toMatchObject({ suites: ['bookworm', 'bookworm-updates'], components: ['main'] });
  expect(sources[0]!.fields['Signed-By']).toContain('BEGIN PGP');
  expect(parseAptSources(renderAptSources(sources), 'deb822')).toEqual(sources);
});
