// Reads rails as operators write them, with every problem at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyRailKind, railKind } from './kind.ts'
import { readRail } from './load-rail.ts'

const KIND: AnyRailKind = railKind<{ url: string }>({
  name: 'connector',
  description: 'asks a provider over HTTP',
  example: { url: 'https://provider.example' },
  secret: 'what its requests are signed with',
  readConfig(json) {
    const { url } = (json ?? {}) as { url?: unknown }
    return typeof url === 'string' ? { value: { url } } : { messages: ['url: must be given'] }
  },
  checkSecret: secret => (secret.length < 8 ? ['the secret has fewer than 8 characters'] : []),
  open() {
    throw new Error('not opened here')
  },
})

const GIVEN = {
  name: 'bank',
  kind: 'connector',
  config: '{"url": "https://provider.example"}',
  secret: 'a secret of its own\n',
}

const WRONG: readonly (readonly [change: Partial<typeof GIVEN>, messages: readonly RegExp[]])[] = [
  [{ name: 'Bank' }, [/^the name "Bank" is not 2 to 31 small letters/]],
  [{ name: 'b' }, [/^the name "b"/]],
  [{ name: '1bank' }, [/^the name "1bank"/]],
  [{ name: 'manual' }, [/^rail manual is there already/]],
  [{ name: 'simulator' }, [/^rail simulator is there already/]],
  [{ kind: 'conector' }, [/^unknown kind conector; .* connector; did you mean connector\?$/]],
  [{ config: '{"url": ' }, [/^the settings are no JSON: /]],
  [{ config: '{}' }, [/^url: must be given/]],
  [{ config: 'null' }, [/^url: must be given/]],
  [{ secret: 'short' }, [/^the secret has fewer/]],
  [
    { name: 'Bank', config: '{}', secret: 'short' },
    [/^the name/, /^url: must be given/, /^the secret/],
  ],
]

test('rail settings file of an operator: accepted, trailing line break of the secret removed', () => {
  assert.deepEqual(readRail(GIVEN, [KIND]), {
    value: {
      name: 'bank',
      kind: 'connector',
      config: { url: 'https://provider.example' },
      secret: 'a secret of its own',
      paused_reason: '',
    },
  })
})

for (const [change, expected] of WRONG) {
  test(`rail settings with ${JSON.stringify(change)}: every fault named at once`, () => {
    const { messages = [] } = readRail({ ...GIVEN, ...change }, [KIND])
    assert.equal(messages.length, expected.length, messages.join('\n'))
    for (const [i, pattern] of expected.entries()) assert.match(messages[i] ?? '', pattern)
  })
}

test('rail settings, secret for a kind of rail that takes none: refused', () => {
  const { messages } = readRail(GIVEN, [
    railKind<null>({
      name: 'connector',
      description: '',
      example: null,
      secret: null,
      readConfig: () => ({ value: null }),
      open() {
        throw new Error('not opened here')
      },
    }),
  ])
  assert.deepEqual(messages, ['a rail of kind connector has no secret'])
})
