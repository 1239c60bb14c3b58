// Archives as PostgreSQL writes them, and every kind of invalid archive: cut short, damaged, with
// entries that no data folder has, or with data behind its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadTar, END, readTar, tarFile } from './tar.ts'

const BLOCK = 512
const NOW = new Date('2026-11-22T21:00:00Z')

const file = (name: string, text: string) => tarFile(name, Buffer.from(text), NOW)

/** A file whose header differs in one field, with a correct checksum. */
function changed(at: number, words: string, content = 'hello'): Buffer {
  const made = file('a', content)
  made.write(words, at, 'latin1')
  made.fill(' ', 148, 156)
  const sum = made.subarray(0, BLOCK).reduce((total, byte) => total + byte, 0)
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return made
}

const TYPE_AT = 156
const SIZE_AT = 124
const WHOLE = Buffer.concat([
  changed(TYPE_AT, '5', ''),
  file('one', 'hello'),
  file('sub/two', 'x'.repeat(1_000)),
  END,
])
const ENTRIES = ['a folder', 'one 5', 'sub/two 1000']

/** Splits bytes into pieces that never end where a block ends. */
async function* pieces(bytes: Buffer, length = 300): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function read(bytes: Buffer): Promise<string[]> {
  const entries: string[] = []
  for await (const { name, content } of readTar(pieces(bytes))) {
    const length = content && Buffer.concat(await Array.fromAsync(content)).length
    entries.push(`${name} ${length ?? 'folder'}`)
  }
  return entries
}

test('tar, complete archive: every entry, in order', async () => {
  assert.deepEqual(await read(WHOLE), ENTRIES)
  assert.deepEqual(await read(Buffer.concat([file('./b', 'x'), END])), ['b 1'])
  assert.deepEqual(await read(END), [])
})

test('tar, name of more than 100 bytes: split at a folder, and read whole; without room: refused', async () => {
  const folder = 'f'.repeat(150)
  const name = `${folder}/sub/${'n'.repeat(96)}`
  assert.deepEqual(await read(Buffer.concat([file(name, 'x'), END])), [`${name} 1`])
  for (const long of ['n'.repeat(101), `${folder}/${'n'.repeat(101)}`, `${'f'.repeat(156)}/n`]) {
    assert.throws(() => file(long, 'x'), /^Error: a tar archive has no room for the name/)
  }
})

test('tar, archive truncated anywhere: refused', async () => {
  for (let length = 0; length < WHOLE.length; length += 1) {
    await assert.rejects(read(WHOLE.subarray(0, length)), BadTar, `${length} bytes`)
  }
})

test('tar, any bit of a header flipped: refused, or read alike where only the form of the checksum differs', async () => {
  for (let bit = 0; bit < BLOCK * 8; bit += 1) {
    const damaged = Buffer.from(WHOLE)
    const at = bit >> 3
    damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (bit & 7)), at)
    if (at < 148 || at >= 156) await assert.rejects(read(damaged), BadTar, `bit ${bit}`)
    else {
      const found = await read(damaged).catch(error => {
        if (!(error instanceof BadTar)) throw error
      })
      assert.deepEqual(found ?? ENTRIES, ENTRIES, `bit ${bit}`)
    }
  }
})

for (const type of '12346789xgLKSZ') {
  test(`tar, entry of type ${type}, neither file nor folder: refused`, async () => {
    await assert.rejects(read(Buffer.concat([changed(TYPE_AT, type), END])), {
      message: `an entry has the unknown type "${type}"`,
    })
  })
}

for (const name of ['../out', '/out', 'sub/../../out', '..', '.', './']) {
  test(`tar, entry called ${name}: refused`, async () => {
    await assert.rejects(read(Buffer.concat([file(name, 'x'), END])), {
      message: `an entry has the unsafe name "${name}"`,
    })
  })
}

for (const size of ['0000000005x', '-0000000005', '           ', '\x80\0\0\0\0\0\0\0\0\0\0']) {
  test(`tar, entry of size ${JSON.stringify(size)}: refused`, async () => {
    await assert.rejects(read(Buffer.concat([changed(SIZE_AT, size), END])), BadTar)
  })
}

for (const [what, rest] of [
  ['a byte', Buffer.from('x')],
  ['another archive', WHOLE],
  ['zeros and a byte', Buffer.concat([Buffer.alloc(10 * BLOCK), Buffer.from('x')])],
] as const) {
  test(`tar, ${what} after the end of the archive: refused`, async () => {
    await assert.rejects(read(Buffer.concat([WHOLE, rest])), {
      message: 'data follows the end of the archive',
    })
  })
}

test('tar, zeros after the end of the archive, up to twenty blocks: ignored', async () => {
  assert.deepEqual(await read(Buffer.concat([WHOLE, Buffer.alloc(20 * BLOCK)])), ENTRIES)
})

test('tar, large file: read in pieces on demand, or skipped', async () => {
  const piece = Buffer.alloc(64 * 1024)
  const size = 1_000 * piece.length
  let given = 0
  async function* source() {
    yield changed(SIZE_AT, size.toString(8).padStart(11, '0'), '')
    for (given = 0; given < size; given += piece.length) yield piece
    yield END
  }
  for await (const { content = [] } of readTar(source())) {
    let taken = 0
    for await (const part of content) {
      assert.ok(given - taken <= piece.length, `${given - taken} bytes ahead`)
      taken += part.length
    }
    assert.equal(taken, size)
  }
  let entries = 0
  for await (const _ of readTar(source())) entries += 1
  assert.equal(entries, 1)
})

test('tar, reader stops early or fails: source closed', async () => {
  for (const fails of [false, true]) {
    let closed = false
    const source = (async function* () {
      try {
        yield* pieces(WHOLE)
      } finally {
        closed = true
      }
    })()
    const reading = (async () => {
      for await (const { name } of readTar(source)) {
        if (name === 'one' && fails) throw new Error('no room')
        if (name === 'one') break
      }
    })()
    if (fails) await assert.rejects(reading, { message: 'no room' })
    else await reading
    assert.ok(closed)
  }
})
