// Compiles the schemas of parameters when they are first needed: a daemon has hundreds of them, and few are needed soon.

import { AjvCompiler } from '@fastify/ajv-compiler';

type Build = ReturnType<typeof AjvCompiler>;

/** What Fastify asks of a validator: a verdict, and on the function itself why. */
interface Validator {
	(...given: unknown[]): unknown;
	errors?: unknown;
	/** Says that the function takes the place of the data too, so that it can convert them. */
	schemaEnv: unknown;
}

/** The schemas of routes are constants, so each is compiled once, no matter how many apps a process builds. */
const build = AjvCompiler();

/** For Fastify's `compilersFactory`. A schema that cannot be compiled makes its first request fail. */
export const buildValidator = ((...given: Parameters<Build>) => {
	const compile = build(...given) as (route: unknown) => Validator;
	return (route: unknown): Validator => {
		let compiled: Validator | undefined;
		const validate = (...data: unknown[]) => {
			compiled ??= compile(route);
			const isValid = compiled(...data);
			lazy.errors = compiled.errors;
			return isValid;
		};
		const lazy: Validator = Object.assign(validate, { schemaEnv: true });
		return lazy;
	};
}) as unknown as Build;
