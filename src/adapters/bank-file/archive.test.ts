// Archives of banks: gzip and ZIP are read whole or not at all, within bounds, and no name in one
// becomes a path.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { zipOf } from '../../../test/support/bank/zip.ts'
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { unpack } from './archive.ts'

const BOUNDS = { bytes: 1_000_000, ratio: 20, free: 1_000 }

async function unpacked(bytes: Uint8Array, bounds = BOUNDS): Promise<string[] | string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'corridor-archive-'))
  const path = join(folder.path, 'stored')
  await writeFile(path, bytes)
  try {
    const paths = await unpack(path, folder.path, bounds)
    const texts = await Promise.all(paths.map(one => readFile(one, 'utf8')))
    const made = (await readdir(folder.path)).filter(
      name => !/^(stored|unpacked(-\d+)?)$/.test(name),
    )
    assert.deepEqual(made, [])
    return texts
  } catch (error) {
    assert.ok(error instanceof UnreadableFile, String(error))
    return error.message
  }
}

const one = Buffer.from('<Document/>')
const two = Buffer.from('101 061000146')
const zip = zipOf([{ name: 'a.xml', bytes: one }])

test('unpack, plain file, gzip, ZIP with several or stored files: the bytes of each file, in order', async () => {
  assert.deepEqual(await unpacked(one), ['<Document/>'])
  assert.deepEqual(await unpacked(gzipSync(one)), ['<Document/>'])
  assert.deepEqual(await unpacked(zip), ['<Document/>'])
  const several = zipOf([
    { name: 'reports/', bytes: Buffer.alloc(0) },
    { name: 'reports/a.xml', bytes: one },
    { name: '__MACOSX/._a.xml', bytes: two },
    { name: 'b.ach', bytes: two, is_stored: true },
  ])
  assert.deepEqual(await unpacked(several), ['<Document/>', '101 061000146'])
})

test('unpack, archive with names outside its folder: no file written outside', async () => {
  for (const name of ['../../evil.xml', '/etc/evil.xml', '..\\evil.xml', 'C:\\evil.xml']) {
    assert.deepEqual(await unpacked(zipOf([{ name, bytes: one }])), ['<Document/>'])
  }
})

const bomb = Buffer.alloc(500_000, 'a')
const random = randomBytes(5_000)

test('unpack, more bytes than the bounds or the declared size: refused', async () => {
  assert.match(String(await unpacked(gzipSync(bomb))), /unpacks to more than \d+ bytes/)
  assert.match(String(await unpacked(zipOf([{ name: 'a', bytes: bomb }]))), /unpacks to more/)
  const lying = zipOf([{ name: 'a', bytes: bomb, said: 100 }])
  assert.match(String(await unpacked(lying)), /more bytes than its archive says/)
  const few = { ...BOUNDS, bytes: 5 }
  assert.match(String(await unpacked(zip, few)), /more than 5 bytes/)
  const doubled = zipOf(
    Array.from({ length: 9 }, () => ({ name: 'a', bytes: random, same: true, is_stored: true })),
  )
  assert.match(String(await unpacked(doubled)), /more than the archive has/)
})

test('unpack, truncated anywhere, a byte changed, encrypted, nested archive: refused', async () => {
  const packed = gzipSync(one)
  for (const whole of [zip, packed]) {
    for (let length = 4; length < whole.length; length++) {
      assert.equal(typeof (await unpacked(whole.subarray(0, length))), 'string', `${length}`)
    }
  }
  const at = zip.indexOf(deflateRawSync(one))
  const changed = Buffer.from(zip)
  changed[at + 4] = (changed[at + 4] ?? 0) ^ 1
  assert.match(String(await unpacked(changed)), /damaged/)
  assert.match(String(await unpacked(zipOf([{ name: 'a', bytes: one, flags: 1 }]))), /encrypted/)
  assert.match(String(await unpacked(zipOf([{ name: 'a', bytes: one, method: 12 }]))), /method 12/)
  assert.match(String(await unpacked(gzipSync(zip))), /inside of an archive/)
  assert.match(String(await unpacked(zipOf([]))), /no file/)
})

test('unpack, gzip followed by zeros: read; followed by other bytes: refused', async () => {
  const zeros = Buffer.alloc(700)
  const large = gzipSync(random)
  for (const _ of Array(8)) {
    assert.deepEqual(await unpacked(Buffer.concat([gzipSync(one), zeros])), ['<Document/>'])
    for (const first of [gzipSync(one), large]) {
      const behind = Buffer.concat([first, zeros.subarray(0, 4), gzipSync(two)])
      assert.match(String(await unpacked(behind)), /goes on after its end/)
    }
  }
})
