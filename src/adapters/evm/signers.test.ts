// Signers by a file, by a server and by AWS KMS: each signs what was asked or refuses, and shows no
// secret.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { privateKeyToAccount } from 'viem/accounts'
import { type KeyFile, makeKeyFile } from '../../../examples/chain/keystore.ts'
import {
  type Script,
  type ScriptedNode,
  startScriptedNode,
} from '../../../test/support/chain/scripted-node.ts'
import { listenOn } from '../../../test/support/network/port.ts'
import { selfSigned } from '../../../test/support/network/self-signed.ts'
import type { Hex } from './chain.ts'
import { bytesOf } from './hex.ts'
import { openSigner } from './open-signer.ts'
import type { Eip1559, Signer } from './signer.ts'
import { decryptKey } from './signer-keystore.ts'
import { KmsSigner } from './signer-kms.ts'
import { RemoteSigner } from './signer-remote.ts'
import { signedBytes, signTransaction, unsendable } from './transaction.ts'

const KEY: Hex = `0x${'4c'.repeat(32)}`
const account = privateKeyToAccount(KEY)
const ADDRESS = account.address.toLowerCase() as Hex
const ORDER = secp256k1.Point.Fn.ORDER

const TX: Eip1559 = {
  ...{ chain_id: 8453n, nonce: 7n, tip: 1_000_000n, max_fee: 30_000_000n, gas: 60_000n, value: 0n },
  ...{ to: `0x${'83'.repeat(20)}`, data: `0xa9059cbb${'00'.repeat(64)}` },
}

const viemOf = (tx: Eip1559) => ({
  ...{ type: 'eip1559' as const, chainId: Number(tx.chain_id), nonce: Number(tx.nonce) },
  ...{ maxPriorityFeePerGas: tx.tip, maxFeePerGas: tx.max_fee, gas: tx.gas, to: tx.to },
  ...{ value: tx.value, data: tx.data },
})

let folder: string
const closing: (() => Promise<void>)[] = []
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signers-'))
})
after(async () => {
  for (const close of closing) await close()
  await rm(folder, { recursive: true })
})

async function write(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

async function refusal(signer: Signer): Promise<Error> {
  const error = await signTransaction(TX, signer).catch(one => one)
  assert.ok(error instanceof Error)
  return error
}

/** Everything by which a secret could come into a log. */
function shown(signer: Signer, error?: Error): string {
  const things = [signer, error].filter(one => one !== undefined)
  return things
    .flatMap(one => [inspect(one, { depth: 9, showHidden: true }), JSON.stringify(one), `${one}`])
    .concat(error?.message ?? '', error?.stack ?? '')
    .join('\n')
}

suite('signer by a keystore', () => {
  const byFile = ({ address, path, passphrase_file }: KeyFile) =>
    openSigner(
      { address, signer: { kind: 'keystore', path, passphrase_file } },
      { allow_private: false },
    )

  // From "Web3 Secret Storage Definition" of ethereum.org: two files of one key.
  const SPEC_KEY = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
  const SPEC = {
    pbkdf2: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        ...{ c: 262_144, dklen: 32, prf: 'hmac-sha256' },
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    },
    scrypt: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
      ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
      kdf: 'scrypt',
      kdfparams: {
        ...{ dklen: 32, n: 262_144, r: 1, p: 8 },
        salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
      },
      mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
    },
  }

  for (const [kdf, crypto] of Object.entries(SPEC)) {
    test(`file of the specification, ${kdf}: its key`, async () => {
      const text = JSON.stringify({ version: 3, crypto })
      const key = await decryptKey(text, 'testpassword')
      assert.equal(Buffer.from(key).toString('hex'), SPEC_KEY)
    })
  }

  test('file of another form: refused, and the member is named', async () => {
    const { scrypt } = SPEC
    const params = (change: object) => ({
      ...scrypt,
      kdfparams: { ...scrypt.kdfparams, ...change },
    })
    const table: readonly (readonly [unknown, RegExp])[] = [
      ['text', /keystore must be a JSON object/],
      [{ version: 1, crypto: scrypt }, /keystore.version must be a whole number from 3 to 3/],
      [{ version: 3 }, /keystore.crypto must be a JSON object/],
      [{ version: 3, crypto: { ...scrypt, cipher: 'aes-256-gcm' } }, /crypto.cipher/],
      [{ version: 3, crypto: { ...scrypt, kdf: 'argon2' } }, /crypto.kdf/],
      [{ version: 3, crypto: { ...scrypt, mac: 'zz' } }, /crypto.mac must be the hex digits/],
      [{ version: 3, crypto: { ...scrypt, ciphertext: 'ab' } }, /crypto.ciphertext/],
      [{ version: 3, crypto: params({ n: 2 ** 23 }) }, /kdfparams.n/],
      [{ version: 3, crypto: params({ n: 2 ** 22, r: 64 }) }, /kdfparams.n and r take more than/],
      [{ version: 3, crypto: params({ dklen: 16 }) }, /kdfparams.dklen/],
    ]
    for (const [json, reason] of table) {
      await assert.rejects(() => decryptKey(JSON.stringify(json), 'x'), reason)
    }
    await assert.rejects(() => decryptKey('{', 'x'), /the keystore is no JSON/)
  })

  test('key of a file: signs as viem does, and is shown nowhere', async () => {
    const file = await makeKeyFile(folder, 'mine')
    const signer = byFile(file)
    const { raw } = await signTransaction(TX, signer)
    const own = privateKeyToAccount(file.private_key)
    assert.equal(raw, await own.signTransaction(viemOf(TX)))
    await signTransaction(unsendable(8453n, file.address), signer)
    const all = shown(signer)
    assert.ok(!all.includes(file.private_key.slice(2)) && !all.includes(file.passphrase))
  })

  test('file that others may read: refused until they may not', async () => {
    const file = await makeKeyFile(folder, 'open')
    const signer = byFile(file)
    for (const path of [file.path, file.passphrase_file]) {
      for (const mode of [0o644, 0o604, 0o602]) {
        await chmod(path, mode)
        const { message } = await refusal(signer)
        assert.equal(message.includes(path) && message.includes('open to others'), true, message)
      }
      await chmod(path, 0o640)
    }
    await signTransaction(TX, signer)
  })

  test('wrong passphrase, absent file, key of another address: refused, no secret in the message', async () => {
    const file = await makeKeyFile(folder, 'wrong')
    const other = await makeKeyFile(folder, 'other')
    const wrong = await write('wrong.phrase', 'not this one\n')
    const two = await write('two.lines', `${file.passphrase}\n\n`)
    const table: readonly (readonly [KeyFile, RegExp])[] = [
      [{ ...file, passphrase_file: wrong }, /passphrase of the keystore is wrong/],
      [{ ...file, passphrase_file: two }, /must have one line/],
      [{ ...file, path: join(folder, 'none') }, /cannot be read: ENOENT/],
      [{ ...file, path: '/dev/zero' }, /open to others/],
      [{ ...file, address: other.address }, /has the key of another address/],
    ]
    for (const [settings, reason] of table) {
      const signer = byFile(settings)
      const error = await refusal(signer)
      assert.match(error.message, reason)
      const all = shown(signer, error)
      assert.ok(!all.includes(file.private_key.slice(2)) && !all.includes(file.passphrase))
    }
  })
})

suite('remote signer', () => {
  const TOKEN = 't0ken-which-nobody-may-see'

  async function open(script: Script) {
    const server: ScriptedNode = await startScriptedNode(script)
    closing.push(() => server.close())
    const token_file = await write(`token-${closing.length}`, `${TOKEN}\n`)
    const config = { kind: 'remote', url: server.url, token_file, tls: null } as const
    const options = { allow_private: true, answer_within_ms: 2_000 }
    return { server, signer: new RemoteSigner(ADDRESS, config, options) }
  }

  const giving = (tx: Eip1559, by = account): Promise<Hex> => by.signTransaction(viemOf(tx))

  test('asked by web3signer’s call: every field, the token, and its bytes', async () => {
    const raw = await giving(TX)
    const { server, signer } = await open(() => ({ result: raw }))
    assert.equal((await signTransaction(TX, signer)).raw, raw)
    const [asked] = server.asked
    assert.deepEqual(
      [asked?.method, asked?.headers.authorization],
      ['eth_signTransaction', `Bearer ${TOKEN}`],
    )
    assert.deepEqual(asked?.params, [
      {
        ...{ from: ADDRESS, to: TX.to, data: TX.data, gas: '0xea60', value: '0x0', nonce: '0x7' },
        ...{ chainId: '0x2105', maxFeePerGas: '0x1c9c380', maxPriorityFeePerGas: '0xf4240' },
      },
    ])
  })

  const other = privateKeyToAccount(`0x${'4d'.repeat(32)}`)
  const changes: readonly (readonly [string, Partial<Eip1559>])[] = [
    ['payee', { to: `0x${'66'.repeat(20)}` }],
    ['nonce', { nonce: 8n }],
    ['chain', { chain_id: 1n }],
    ['value', { value: 1n }],
    ['gas', { gas: 60_001n }],
    ['fee', { max_fee: 30_000_001n }],
    ['tip', { tip: 1_000_001n }],
    ['calldata', { data: `0xa9059cbb${'00'.repeat(63)}01` }],
  ]
  for (const [what, change] of changes) {
    test(`gives another ${what}: refused, and the field is named`, async () => {
      const raw = await giving({ ...TX, ...change })
      const { signer } = await open(() => ({ result: raw }))
      const { message } = await refusal(signer)
      assert.equal(message, `the signer signed other values of ${Object.keys(change)[0]}`)
    })
  }

  const high = (() => {
    const bytes = secp256k1.sign(bytesOf(`0x${'11'.repeat(32)}`), bytesOf(KEY), { prehash: false })
    const { r, s } = secp256k1.Signature.fromBytes(bytes, 'compact')
    return signedBytes(TX, { r, s: ORDER - s, y: 0 }).raw
  })()
  const hostile: readonly (readonly [string, Script, RegExp])[] = [
    ['bytes with a high s', () => ({ result: high }), /high s/],
    ['no hex', () => ({ result: 'signed' }), /gave no bytes/],
    ['null', () => ({ result: null }), /gave no bytes/],
    ['empty bytes', () => ({ result: '0x' }), /no transaction that was asked/],
    ['garbage', () => ({ result: `0x02${'ab'.repeat(200)}` }), /no transaction that was asked/],
    ['too much', () => ({ result: `0x${'00'.repeat(70_000)}` }), /more than 65536 bytes/],
    [
      'an error that repeats the token',
      () => ({ error: { code: -32000, message: TOKEN } }),
      /refused with code -32000/,
    ],
    ['a page', () => ({ text: `<html>${TOKEN}` }), /no JSON-RPC/],
    ['another id', () => ({ text: '{"jsonrpc":"2.0","id":99,"result":"0x"}' }), /no JSON-RPC/],
    ['401', () => ({ status: 401, text: TOKEN }), /answered 401/],
    [
      'a redirect',
      () => ({ status: 307, text: '', headers: { location: 'http://127.0.0.1:1' } }),
      /answered 307/,
    ],
    ['nothing in time', () => 'silent', /did not answer: timeout/],
    ['a cut connection', () => 'cut', /did not answer: connection reset/],
  ]
  for (const [what, script, reason] of hostile) {
    test(`gives ${what}: refused, the token is shown nowhere`, async () => {
      const { signer, server } = await open(script)
      const error = await refusal(signer)
      assert.match(error.message, reason)
      assert.ok(!shown(signer, error).includes(TOKEN))
      assert.equal(server.asked.length, 1)
    })
  }

  test('signs with another key: refused, and the address is named', async () => {
    const raw = await giving(TX, other)
    const { signer } = await open(() => ({ result: raw }))
    const { message } = await refusal(signer)
    assert.equal(message, `the signer signed with the key of ${other.address.toLowerCase()}`)
  })

  test('token renewed in its file: the new one counts at the next signature', async () => {
    const raw = await giving(TX)
    const { server, signer } = await open(() => ({ result: raw }))
    await signTransaction(TX, signer)
    await write(`token-${closing.length}`, 'renewed')
    await signTransaction(TX, signer)
    assert.equal(server.asked[1]?.headers.authorization, 'Bearer renewed')
  })

  test('mutual TLS: the client shows its certificate, and takes no other server', async () => {
    const now = Date.now()
    const made = (name: string) => selfSigned(name, now - 60_000, now + 3_600_000)
    const [here, client, stranger] = [made('localhost'), made('corridor'), made('localhost')]
    const raw = await giving(TX)
    const seen: string[] = []
    const server = createServer(
      { key: here.key, cert: here.cert, requestCert: true, ca: [client.cert] },
      (request, response) => {
        seen.push(`${(request.socket as TLSSocket).getPeerCertificate().subject?.CN}`)
        request.resume().on('end', () => {
          response.end(JSON.stringify({ jsonrpc: '2.0', id: seen.length, result: raw }))
        })
      },
    )
    const port = await listenOn(server)
    closing.push(async () => void server.close())
    const cert_file = await write('client.cert', client.cert)
    const key_file = await write('client.key', `${client.key}`)
    const by = async (name: string, cert: string) => {
      const ca_file = await write(name, cert)
      const tls = { cert_file, key_file, ca_file }
      const url = `https://localhost:${port}/`
      const config = { kind: 'remote', url, token_file: '', tls } as const
      return new RemoteSigner(ADDRESS, config, { allow_private: true })
    }
    assert.equal((await signTransaction(TX, await by('right.ca', here.cert))).raw, raw)
    assert.deepEqual(seen, ['corridor'])
    const { message } = await refusal(await by('wrong.ca', stranger.cert))
    assert.match(message, /did not answer: tls/)
    assert.equal(seen.length, 1)
    await chmod(key_file, 0o644)
    assert.match((await refusal(await by('right.ca', here.cert))).message, /open to others/)
  })
})

suite('signer by AWS KMS', () => {
  const SECRET = 'secr3t+which/nobody-may-see'
  const ENV = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_SESSION_TOKEN: 'session',
  }

  /** KMS chooses neither s nor the form of the answer's error. */
  const signing = (key: Hex, mirrored: boolean) => (body: { Message: string }) => {
    const digest = Buffer.from(body.Message, 'base64')
    const bytes = secp256k1.sign(digest, bytesOf(key), { prehash: false })
    const { r, s } = secp256k1.Signature.fromBytes(bytes, 'compact')
    const der = new secp256k1.Signature(r, mirrored ? ORDER - s : s).toBytes('der')
    return { text: JSON.stringify({ Signature: Buffer.from(der).toString('base64') }) }
  }

  async function open(
    answer: (body: { Message: string }) => { text: string; status?: number },
    env = ENV,
  ) {
    // KMS takes JSON that is no JSON-RPC; the scripted server reads any JSON.
    const server = await startScriptedNode(asked => answer(asked as unknown as { Message: string }))
    closing.push(() => server.close())
    const config = {
      kind: 'aws_kms',
      key_id: 'alias/wallet',
      region: 'eu-central-1',
      endpoint: server.url,
    } as const
    return { server, signer: new KmsSigner(ADDRESS, config, { allow_private: true, env }) }
  }

  for (const mirrored of [false, true]) {
    test(`signature with ${mirrored ? 'a high' : 'a low'} s: the bytes of viem, with the low one`, async () => {
      const { signer } = await open(signing(KEY, mirrored))
      for (let nonce = 0n; nonce < 8n; nonce++) {
        const { raw } = await signTransaction({ ...TX, nonce }, signer)
        assert.equal(raw, await account.signTransaction(viemOf({ ...TX, nonce })))
      }
    })
  }

  test('asked for a digest by the key’s name, with a signed request', async () => {
    const { server, signer } = await open(signing(KEY, false))
    await signTransaction(TX, signer)
    const [asked] = server.asked
    const { method: _, params: __, path: ___, headers = {}, ...body } = { ...asked }
    assert.deepEqual(
      { ...body, Message: undefined },
      {
        ...{ KeyId: 'alias/wallet', MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' },
        Message: undefined,
      },
    )
    assert.equal(headers['x-amz-target'], 'TrentService.Sign')
    assert.equal(headers['x-amz-security-token'], 'session')
    assert.match(
      `${headers.authorization}`,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/kms\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
    )
  })

  const der = (text: string) => () => ({ text: JSON.stringify({ Signature: text }) })
  const denied = {
    status: 400,
    text: `{"__type":"com.x#AccessDeniedException","message":"${SECRET}"}`,
  }
  const hostile: readonly (readonly [string, Parameters<typeof open>[0], RegExp])[] = [
    [
      'the signature of another key',
      signing(`0x${'4d'.repeat(32)}`, false),
      /the key of another address/,
    ],
    [
      'the signature of another digest',
      () => signing(KEY, false)({ Message: Buffer.alloc(32, 1).toString('base64') }),
      /the key of another address/,
    ],
    ['no signature', () => ({ text: '{}' }), /KMS gave no signature/],
    ['no DER', der('AAAA'), /no signature in DER/],
    ['half of a DER', der('MEUCIQ=='), /no signature in DER/],
    ['a page', () => ({ text: '<html>' }), /KMS gave no signature/],
    ['a refusal', () => denied, /^KMS answered 400: AccessDeniedException$/],
  ]
  for (const [what, answer, reason] of hostile) {
    test(`gives ${what}: refused, the key is shown nowhere`, async () => {
      const { signer } = await open(answer)
      const error = await refusal(signer)
      assert.match(error.message, reason)
      assert.ok(!shown(signer, error).includes(SECRET))
    })
  }

  test('keys in the shared file: those of the profile; without any, refused', async () => {
    const file = await write(
      'credentials',
      '[default]\naws_access_key_id = OTHER\naws_secret_access_key = other\n\n' +
        `[ pay ]\naws_access_key_id=AKIDFILE\naws_secret_access_key = ${SECRET}\n`,
    )
    const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'pay' }
    const { server, signer } = await open(signing(KEY, false), env as unknown as typeof ENV)
    await signTransaction(TX, signer)
    const { authorization = '', 'x-amz-security-token': token } = server.asked[0]?.headers ?? {}
    assert.deepEqual([authorization.includes('Credential=AKIDFILE/'), token], [true, undefined])
    const none = { ...env, AWS_PROFILE: 'nobody' } as unknown as typeof ENV
    const { message } = await refusal((await open(signing(KEY, false), none)).signer)
    assert.match(message, /have no keys of the profile nobody/)
    assert.ok(!message.includes(SECRET))
  })
})
