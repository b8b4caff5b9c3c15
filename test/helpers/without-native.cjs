// What a machine without a compiler lacks is not loaded: parts that an install compiles. `node --require` takes this file.
const load = process.dlopen;
process.dlopen = function dlopen(module, path, ...flags) {
	if (/[\\/]build[\\/](Release|Debug)[\\/]/.test(path)) throw new Error(`not on this machine: ${path}`);
	return load.call(this, module, path, ...flags);
};
