module.exports = { setImmediate: (run) => setTimeout(() => run()) }
