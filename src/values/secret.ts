// Makes the secrets of keys, and the tokens of sessions, devices and login links. The prefix and
// the checksum let scanners recognise a leaked secret in code, logs or chats without asking the
// service. The service compares hashes, and never reads the checksum.
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** 256 bits, in base64url. */
const RANDOM_BYTES = 32

/** `corridor_live_` or `corridor_test_`, 43 random characters, and a checksum of 6. */
export function newSecret({ sandbox }: { readonly sandbox: boolean }): string {
  return secretOf(sandbox ? 'test' : 'live')
}

/** The same for a user's key: `corridor_user_…`. */
export function newUserSecret(): string {
  return secretOf('user')
}

/**
 * The same for the cookie of a session, `corridor_session_…`, or of a device, `corridor_device_…`,
 * or for a link: `corridor_login_…`, `corridor_invitation_…`.
 */
export function newToken(of: 'session' | 'device' | 'login' | 'invitation'): string {
  return secretOf(of)
}

type Kind = 'live' | 'test' | 'user' | Parameters<typeof newToken>[0]

function secretOf(kind: Kind): string {
  const text = `corridor_${kind}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
  return text + checksumOf(text)
}

/** CRC-32, big-endian, in base64url. */
function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return bytes.toString('base64url')
}
