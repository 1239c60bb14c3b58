// Transactions against viem's bytes, hashes and signatures, and signers that give something else.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak256, parseTransaction, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { randomBytes, randomTransaction } from '../../../test/support/chain/random-transaction.ts'
import { pickSeed, seeded } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import type { Hex } from './chain.ts'
import { bytesOf, hexOf } from './hex.ts'
import type { Eip1559, Signature, Signer } from './signer.ts'
import {
  addressOf,
  differences,
  digestOf,
  readTransaction,
  SignerFault,
  signedBytes,
  signTransaction,
  unsendable,
  withLowS,
} from './transaction.ts'

const SEED = pickSeed()
const KEY: Hex = `0x${'4c'.repeat(32)}`
const ORDER = secp256k1.Point.Fn.ORDER

const OURS: Eip1559 = {
  ...{ chain_id: 8453n, nonce: 7n, tip: 1_000_000n, max_fee: 30_000_000n, gas: 60_000n, value: 0n },
  ...{ to: `0x${'83'.repeat(20)}`, data: `0xa9059cbb${'00'.repeat(64)}` },
}

function signatureOf(tx: Eip1559, key = KEY): Signature {
  const options = { prehash: false, format: 'recovered' } as const
  const bytes = secp256k1.sign(digestOf(tx), bytesOf(key), options)
  const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered')
  return { r, s, y: recovery === 1 ? 1 : 0 }
}

function signerOf(sign: (tx: Eip1559) => Signature, key = KEY): Signer {
  const address = addressOf(secp256k1.getPublicKey(bytesOf(key), false))
  return { address, sign: async tx => sign(tx) }
}

/** The same transaction as viem names its fields. */
function forViem(tx: Eip1559) {
  return {
    type: 'eip1559',
    chainId: Number(tx.chain_id),
    nonce: Number(tx.nonce),
    maxPriorityFeePerGas: tx.tip,
    maxFeePerGas: tx.max_fee,
    gas: tx.gas,
    to: tx.to,
    value: tx.value,
    data: tx.data,
  } as const
}

suite('transactions of type 2', () => {
  test(`signed, random fields and keys: the bytes and hash of viem, SEED=${SEED}`, async () => {
    const next = seeded(SEED)
    for (let i = 0; i < share(100, 10_000); i++) {
      const tx = randomTransaction(next)
      const key = randomBytes(next, 32)
      const account = privateKeyToAccount(key)
      const unsigned = serializeTransaction(forViem(tx))
      assert.equal(hexOf(digestOf(tx)), keccak256(unsigned))
      const { raw, hash } = await signTransaction(
        tx,
        signerOf(of => signatureOf(of, key), key),
      )
      assert.equal(raw, await account.signTransaction(forViem(tx)))
      assert.equal(hash, keccak256(raw))
      const read = readTransaction(raw)
      assert.deepEqual(read.tx, tx)
      assert.deepEqual([read.hash, read.sender], [hash, account.address.toLowerCase()])
      assert.ok(read.signature.s <= ORDER / 2n)
      assert.equal(parseTransaction(raw).nonce ?? 0, Number(tx.nonce))
    }
  })

  const high = (tx: Eip1559): Signature => {
    const { r, s, y } = signatureOf(tx)
    return { r, s: ORDER - s, y: y === 0 ? 1 : 0 }
  }
  const hostile: readonly (readonly [string, (tx: Eip1559) => Signature, RegExp])[] = [
    ['another payee', tx => signatureOf({ ...tx, to: `0x${'66'.repeat(20)}` }), /not of 0x/],
    ['another nonce', tx => signatureOf({ ...tx, nonce: tx.nonce + 1n }), /not of 0x/],
    ['another chain', tx => signatureOf({ ...tx, chain_id: 1n }), /not of 0x/],
    ['higher fees', tx => signatureOf({ ...tx, max_fee: tx.max_fee + 1n }), /not of 0x/],
    ['other calldata', tx => signatureOf({ ...tx, data: '0x' }), /not of 0x/],
    ['another key', tx => signatureOf(tx, `0x${'4d'.repeat(32)}`), /not of 0x/],
    [
      'the other parity',
      tx => ({ ...signatureOf(tx), y: signatureOf(tx).y === 0 ? 1 : 0 }),
      /not of/,
    ],
    ['a high s', high, /high s/],
    ['zeros', () => ({ r: 0n, s: 0n, y: 0 }), /outside the curve/],
    ['the order as r', tx => ({ ...signatureOf(tx), r: ORDER }), /outside the curve/],
    ['a number of no point', tx => ({ ...signatureOf(tx), r: 5n }), /not of 0x/],
    ['a parity of 27', tx => ({ ...signatureOf(tx), y: 27 as 0 }), /parity/],
  ]
  for (const [what, sign, reason] of hostile) {
    test(`signer gives ${what}: refused, nothing signed`, async () => {
      await assert.rejects(
        () => signTransaction(OURS, signerOf(sign)),
        (error: Error) => error instanceof SignerFault && reason.test(error.message),
      )
    })
  }

  test('signer does not choose s: the lower one, which recovers the same key', async () => {
    const { raw } = await signTransaction(
      OURS,
      signerOf(tx => withLowS(high(tx))),
    )
    assert.equal(raw, await privateKeyToAccount(KEY).signTransaction(forViem(OURS)))
  })

  test('fields that no chain takes: refused before anybody is asked', async () => {
    const asked: Eip1559[] = []
    const signer = signerOf(tx => {
      asked.push(tx)
      return signatureOf(tx)
    })
    const wrong: readonly Partial<Eip1559>[] = [
      { chain_id: 0n },
      { nonce: -1n },
      { nonce: 2n ** 64n },
      { gas: 2n ** 64n },
      { tip: OURS.max_fee + 1n },
      { max_fee: 2n ** 256n },
      { value: -1n },
      { to: '0x' },
      { to: `0x${'AB'.repeat(20)}` },
      { data: '0xABCD' },
      { data: '0x123' },
    ]
    for (const fields of wrong) {
      await assert.rejects(() => signTransaction({ ...OURS, ...fields }, signer), RangeError)
    }
    assert.deepEqual(asked, [])
  })

  test('bytes read, any of them changed: refused, or of another sender or hash', () => {
    const { raw, hash } = signedBytes(OURS, signatureOf(OURS))
    const { sender } = readTransaction(raw)
    const bytes = bytesOf(raw)
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ flip
        try {
          const read = readTransaction(hexOf(changed))
          assert.notEqual(read.hash, hash)
          const isSame = differences(OURS, read.tx).length === 0
          assert.ok(read.sender !== sender || isSame, `byte ${at}`)
        } catch (error) {
          assert.ok(error instanceof RangeError, `byte ${at}: ${error}`)
        }
      }
    }
  })

  test('bytes of another form: refused, with the reason', async () => {
    const account = privateKeyToAccount(KEY)
    const { type: _, ...fields } = forViem(OURS)
    const accessList = [{ address: OURS.to, storageKeys: [] }]
    const { maxFeePerGas: gasPrice, maxPriorityFeePerGas: __, ...legacy } = fields
    const table: readonly (readonly [Hex, RegExp])[] = [
      [await account.signTransaction({ ...forViem(OURS), accessList }), /access list/],
      [await account.signTransaction({ ...legacy, gasPrice, type: 'legacy' }), /not of type 2/],
      [serializeTransaction(forViem(OURS)), /not 12 fields/],
      ['0x', /not of type 2/],
      ['0x02', /end too soon/],
      ['0x02c0', /not 12 fields/],
      [`0x02${'c0'.repeat(140_000)}`, /no bytes/],
    ]
    for (const [raw, reason] of table) {
      assert.throws(
        () => readTransaction(raw),
        (error: Error) => error instanceof RangeError && reason.test(error.message),
      )
    }
  })

  test('trial of a signer: a message that no chain takes as a transaction', async () => {
    const { address } = signerOf(signatureOf)
    const tx = unsendable(8453n, address)
    // EIP-2681 keeps the last nonce free, and no transaction runs without gas.
    assert.deepEqual([tx.nonce, tx.gas, tx.to], [2n ** 64n - 1n, 0n, address])
    const { raw } = await signTransaction(tx, signerOf(signatureOf))
    assert.deepEqual(readTransaction(raw).tx, tx)
  })
})
