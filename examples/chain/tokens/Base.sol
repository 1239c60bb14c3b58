// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// What all tokens of the tests have. A test plays the issuer: it sets the variables in the storage of
/// the contract, whose places examples/chain/token.ts knows. So their order stays. Anybody may mint.
abstract contract Base {
    mapping(address account => uint256 units) public balanceOf;
    mapping(address account => bool is_frozen) internal frozen;
    uint256 internal paused;
    uint256 internal places;
    uint256 internal fee;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function decimals() external view returns (uint256) {
        return places;
    }

    function mint(address to, uint256 units) external {
        balanceOf[to] += units;
        emit Transfer(address(0), to, units);
    }

    function move(address from, address to, uint256 units) internal {
        require(balanceOf[from] >= units, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= units;
        balanceOf[to] += units;
        emit Transfer(from, to, units);
    }
}
