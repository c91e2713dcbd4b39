#!/usr/bin/env node
console.log("baton 0.1.0");
