// Which members can be asked for in which way, by the type that their schema gives them.

type Name<T> = keyof T & string;

/** Members that may hold a value of a kind. */
export type NamesOf<T, Value> = {
	[N in Name<T>]-?: Extract<NonNullable<T[N]>, Value> extends never ? never : N;
}[Name<T>];

/** Members that may be absent. */
export type Optional<T> = {
	[N in Name<T>]-?: Record<never, never> extends Pick<T, N> ? N : never;
}[Name<T>];

/** The text of a member: one of its names where the schema lists them. */
export type TextOf<T, N extends keyof T> = Extract<NonNullable<T[N]>, string>;

/** The type of an object member. */
export type Part<T, N extends keyof T> = Exclude<Extract<NonNullable<T[N]>, object>, readonly unknown[]>;

/** The type of the items of a list. */
export type Item<T, N extends keyof T> = NonNullable<T[N]> extends readonly (infer I)[] ? I : never;
