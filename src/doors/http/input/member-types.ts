// TypeScript types that allow each member of a body to be read only in the ways that fit its type in the schema.

type Name<T> = keyof T & string;

/** The names of the members whose values have a given type. */
export type NamesOf<T, Value> = {
	[N in Name<T>]-?: Extract<NonNullable<T[N]>, Value> extends never ? never : N;
}[Name<T>];

/** The names of the members that may be absent. */
export type Optional<T> = {
	[N in Name<T>]-?: Record<never, never> extends Pick<T, N> ? N : never;
}[Name<T>];

/** The type of a member that is a text. If the schema lists the possible values, the type is the union of these. */
export type TextOf<T, N extends keyof T> = Extract<NonNullable<T[N]>, string>;

/** The type of a member that is an object. */
export type Part<T, N extends keyof T> = Exclude<Extract<NonNullable<T[N]>, object>, readonly unknown[]>;

/** The type of the items of a member that is a list. */
export type Item<T, N extends keyof T> = NonNullable<T[N]> extends readonly (infer I)[] ? I : never;
