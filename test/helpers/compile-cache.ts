/**
 * The variable by which a program of ours takes over what others have compiled (ava.config.js), for those that get an
 * environment of their own: half of what a short command costs.
 */
export const compileCache: Readonly<Record<string, string>> = process.env.NODE_COMPILE_CACHE
	? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
	: {};
