// Schemas that beneficiaries and entities share: address, phone, document.
import Type from 'typebox'
import { Closed, CountryCode, Text } from '../http/schema.ts'

export const Document = Closed(
  {
    type: Type.Optional(Text(64)),
    file_name: Type.Optional(Text(255)),
    url: Type.Optional(Text(2048)),
  },
  { title: 'Document' },
)

export const Address = Closed(
  {
    line1: Type.Optional(Text(255)),
    line2: Type.Optional(Text(255)),
    city: Type.Optional(Text(128)),
    state: Type.Optional(Text(128)),
    country: Type.Optional(CountryCode),
    postal_code: Type.Optional(Text(32)),
  },
  { title: 'Address' },
)

export const Phone = Closed(
  { code: Type.Optional(Text(8)), number: Type.Optional(Text(32)) },
  { title: 'Phone' },
)
