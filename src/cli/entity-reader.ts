// Entities that come in files, as POST /v3/entity takes them.
import { checkEntity, EntityRequest } from '../entity/request.ts'
import { openRequestReader } from './request-reader.ts'

/** What is wrong with a creation's body; nothing: it is an EntityRequest. */
export function openEntityReader() {
  return openRequestReader('/v3/entity', EntityRequest, body => checkEntity(body as EntityRequest))
}
