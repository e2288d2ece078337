#include "MicroHTTPDShims.h"
