// Compiles the tokens of the tests. `compiled.json` is committed, as the compiler takes seconds;
// test/chain/tokens.test.ts compares it.
import { glob, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

/** A contract as it runs: no constructor, so a test sets its code. */
export interface Compiled {
  readonly code: `0x${string}`
  /** The first four bytes of its calls, by signature, as hexadecimal digits. */
  readonly methods: Readonly<Record<string, string>>
}

/** Their sources. */
const TOKENS = join(import.meta.dirname, '../../../examples/chain/tokens')

export const COMPILED = join(TOKENS, 'compiled.json')

interface Output {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Record<
        string,
        { evm: { deployedBytecode: { object: string }; methodIdentifiers: Record<string, string> } }
      >
    >
  >
}

/** The tokens by name. Throws for an error or a warning. */
export async function compileTokens(): Promise<Record<string, Compiled>> {
  const { default: solc } = await import('solc')
  const names = (await Array.fromAsync(glob('*.sol', { cwd: TOKENS }))).sort()
  const sources = Object.fromEntries(
    await Promise.all(
      names.map(async name => {
        return [name, { content: await readFile(join(TOKENS, name), 'utf8') }] as const
      }),
    ),
  )
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'paris',
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
  }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { errors = [], contracts } = JSON.parse(solc.compile(input)) as Output
  if (errors.length > 0) throw new Error(errors.map(one => one.formattedMessage).join('\n'))
  return Object.fromEntries(
    names
      .map(file => [basename(file, '.sol'), contracts[file]] as const)
      .filter(([name]) => name !== 'Base')
      .map(([name, ofFile]) => {
        const evm = ofFile?.[name]?.evm
        if (evm === undefined) throw new Error(`no contract ${name}`)
        return [name, { code: `0x${evm.deployedBytecode.object}`, methods: evm.methodIdentifiers }]
      }),
  )
}
