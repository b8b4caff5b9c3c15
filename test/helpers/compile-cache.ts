/**
 * The variable by which a program takes over what others have compiled (ava.config.js). Programs that get an
 * environment of their own need it, because it saves half of the time of a short command.
 */
export const compileCache: Readonly<Record<string, string>> = process.env.NODE_COMPILE_CACHE
	? { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
	: {};
