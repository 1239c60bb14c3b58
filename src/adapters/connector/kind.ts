// The kind of rail `connector`: reads its settings and secret, and opens its adapter.
import { railKind } from '../../rails/kind.ts'
import { Client } from './client.ts'
import { type ConnectorConfig, readConfig, readSecrets } from './config.ts'
import { evidenceStore } from './evidence-store.ts'
import { ConnectorRail } from './rail.ts'

export const CONNECTOR = railKind<ConnectorConfig>({
  name: 'connector',
  description: 'speaks the connector protocol',
  example: { url: 'https://connector.example', key_lifetime_s: null },
  secret: 'whsec_ and base64',
  requires_secret: true,
  identity: ['url'],
  readConfig,
  checkSecret: secret => readSecrets(secret).messages ?? [],
  open({ name, config, secret }, { sql }) {
    const secrets = readSecrets(secret)
    if (secrets.messages !== undefined) throw new Error(secrets.messages.join('; '))
    const client = new Client(config, secrets.value)
    return new ConnectorRail(name, config, client, evidenceStore(sql))
  },
})
