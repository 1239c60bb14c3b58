// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import "./Base.sol";

/// As Tether's token on Ethereum: `transfer` returns nothing and checks the sender alone, and the
/// issuer may take a fee, in basis points.
contract UsdtLike is Base {
    string public constant symbol = "USDT";

    function isBlackListed(address account) external view returns (bool) {
        return frozen[account];
    }

    function transfer(address to, uint256 units) external {
        require(paused == 0);
        require(!frozen[msg.sender]);
        uint256 kept = (units * fee) / 10000;
        move(msg.sender, to, units - kept);
        if (kept > 0) move(msg.sender, address(this), kept);
    }
}
