// Drops the undefined members of an object. Pure.

type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
} & { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] }

export function omitUndefined<T extends object>(members: T): Defined<T> {
  const set = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set) as Defined<T>
}
