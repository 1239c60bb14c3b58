// A quote, with the calculation of each of its figures.

import { html } from '../../text/html.ts'
import type { JsonObject } from '../api.ts'
import type { Screens } from '../screens.ts'
import { members, state } from '../show.ts'

export function quoteScreens(screens: Screens): void {
  screens.show('account', '/quotes/:id', async visit => {
    const path = `/v3/payout/quote/${visit.params.id}`
    const quote = await visit.api.get<JsonObject>(path, { explain: 'true' })
    const { explanation, ...terms } = quote
    const body = html`<p class="lead">${state(String(quote.status))}</p>
${members(visit.root, terms)}
<h2>How it was calculated</h2>${members(visit.root, (explanation ?? {}) as JsonObject)}`
    return { title: 'Quote', body }
  })
}
