// Opens the signer that a wallet's settings name.
import type { Hex } from './chain.ts'
import type { SignerConfig } from './config-signer.ts'
import type { Signer } from './signer.ts'
import { KeystoreSigner } from './signer-keystore.ts'
import { KmsSigner } from './signer-kms.ts'
import { RemoteSigner } from './signer-remote.ts'

interface SignerDeps {
  /** Whether a signer may have a private address, or plain http. */
  readonly allow_private: boolean
}

/** Reads no file and asks nobody before the first signature. */
export function openSigner(
  { address, signer }: { readonly address: Hex; readonly signer: SignerConfig },
  { allow_private }: SignerDeps,
): Signer {
  switch (signer.kind) {
    case 'remote':
      return new RemoteSigner(address, signer, { allow_private })
    case 'aws_kms':
      return new KmsSigner(address, signer, { allow_private, env: process.env })
    case 'keystore':
      return new KeystoreSigner(address, signer)
  }
}
