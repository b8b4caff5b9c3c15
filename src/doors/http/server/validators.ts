// Compiles the schemas of parameters when they are first needed, because a daemon has hundreds of them and needs few of
// them soon after its start.

import { AjvCompiler } from '@fastify/ajv-compiler';

type Build = ReturnType<typeof AjvCompiler>;

/** A validator for Fastify: it returns whether data are valid, and keeps the errors in `errors`. */
interface Validator {
	(...given: unknown[]): unknown;
	errors?: unknown;
	/**
	 * If this is set, Fastify passes not only the data but also the object that holds them, so that the function can
	 * replace them by converted values.
	 */
	schemaEnv: unknown;
}

/** The schemas of routes are constants, so each is compiled once, no matter how many apps a process builds. */
const build = AjvCompiler();

/** Creates validators for Fastify's `compilersFactory`. If a schema is wrong, the first request that needs it fails. */
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
