// The types of zod that the packed client's declarations need: the input and the output of each schema. They replace zod's own
// types in the package, so that it has no dependency (`npm run build:client` puts them in place).

/** `In` and `Out` say whether a field of this schema is optional. */
export interface ZodType<
  Output = unknown,
  Input = unknown,
  In extends boolean = boolean,
  Out extends boolean = boolean,
> {
  readonly _zod: { readonly output: Output; readonly input: Input; readonly in: In; readonly out: Out }
}
type Plain<Value, Input = Value> = ZodType<Value, Input, false, false>
type In<T extends ZodType> = T['_zod']['in']
type Out<T extends ZodType> = T['_zod']['out']

export type input<T> = T extends { _zod: { input: infer Input } } ? Input : never
export type output<T> = T extends { _zod: { output: infer Output } } ? Output : never
export type { output as infer }

export type ZodString = Plain<string>
export type ZodEmail = Plain<string>
export type ZodURL = Plain<string>
export type ZodUUID = Plain<string>
export type ZodGUID = Plain<string>
export type ZodISODateTime = Plain<string>
export type ZodNumber = Plain<number>
export type ZodInt = Plain<number>
export type ZodBoolean = Plain<boolean>
export type ZodNull = Plain<null>
export type ZodUnknown = Plain<unknown>
export type ZodAny = Plain<unknown>
export type ZodNever = Plain<never>
export type ZodLiteral<Value> = Plain<Value>
export type ZodTemplateLiteral<Value> = Plain<Value>
export type ZodEnum<Values> = Plain<Values[keyof Values]>
export type ZodCustom<Output = unknown, Input = Output> = Plain<Output, Input>
export type ZodTransform<Output = unknown, Input = unknown> = Plain<Output, Input>

export type ZodArray<T extends ZodType> = Plain<output<T>[], input<T>[]>
export type ZodTuple<T extends readonly ZodType[]> = Plain<
  { -readonly [At in keyof T]: output<T[At]> },
  { -readonly [At in keyof T]: input<T[At]> }
>
/** A record whose keys are `$partial` may lack some of them. */
type KeyedBy<Key, Name, Value> = Key extends core.$partial
  ? Partial<Record<Name & PropertyKey, Value>>
  : Record<Name & PropertyKey, Value>
export type ZodRecord<Key extends ZodType, Value extends ZodType> = Plain<
  KeyedBy<Key, output<Key>, output<Value>>,
  KeyedBy<Key, input<Key>, input<Value>>
>
export type ZodNullable<T extends ZodType> = ZodType<output<T> | null, input<T> | null, In<T>, Out<T>>
export type ZodReadonly<T extends ZodType> = ZodType<Readonly<output<T>>, input<T>, In<T>, Out<T>>
export type ZodOptional<T extends ZodType> = ZodType<output<T> | undefined, input<T> | undefined, true, true>
export type ZodDefault<T extends ZodType> = ZodType<
  Exclude<output<T>, undefined>,
  input<T> | undefined,
  true,
  false
>
export type ZodPrefault<T extends ZodType> = ZodType<output<T>, input<T> | undefined, true, false>
export type ZodCatch<T extends ZodType> = ZodType<output<T>, input<T>, In<T>, Out<T>>
export type ZodPipe<A extends ZodType, B extends ZodType> = ZodType<output<B>, input<A>, In<A>, Out<B>>
export type ZodUnion<T extends readonly ZodType[]> = ZodType<
  output<T[number]>,
  input<T[number]>,
  In<T[number]>,
  Out<T[number]>
>
export type ZodDiscriminatedUnion<T extends readonly ZodType[], _ = string> = ZodUnion<T>
export type ZodIntersection<A extends ZodType, B extends ZodType> = Plain<
  output<A> & output<B>,
  input<A> & input<B>
>

type Shape = Readonly<Record<string, ZodType>>
type MayLack<S extends Shape, Side extends 'in' | 'out'> = {
  [Name in keyof S]: true extends S[Name]['_zod'][Side] ? Name : never
}[keyof S]
type Flat<T> = { [Name in keyof T]: T[Name] }
type Fields<S extends Shape, Side extends 'in' | 'out', What extends 'input' | 'output'> = Flat<
  { -readonly [Name in Exclude<keyof S, MayLack<S, Side>>]: S[Name]['_zod'][What] } & {
    -readonly [Name in MayLack<S, Side>]?: S[Name]['_zod'][What]
  }
>

export interface ZodObject<S extends Shape = Shape, _ = unknown>
  extends Plain<Fields<S, 'out', 'output'>, Fields<S, 'in', 'input'>> {
  readonly shape: S
}

/** Other names that zod's types use. */
export declare namespace core {
  type $strip = unknown
  type $strict = unknown
  type $loose = unknown
  type $partial = { '~~partial': true }
  type $ZodType<Output = unknown, Input = unknown> = ZodType<Output, Input>
}
